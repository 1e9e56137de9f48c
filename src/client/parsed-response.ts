// Parses a response into its status, time and content.
import { JsonError, readJson } from '../contract/json.ts'
import type { CutOffError, HttpResponse } from '../contract/transport.ts'

export type Content =
  | { readonly kind: 'json'; readonly document: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'html'; readonly text: string }
  /** Truncated or invalid. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly text: string }

export type ParsedResponse = {
  readonly status: number
  readonly content: Content
  /** The target of a redirect: 'to ORIGIN' or 'elsewhere'. */
  readonly redirect?: string
  /** The service's time in milliseconds, from its Date header. */
  readonly serverTime?: number
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

export const readResponse = (response: HttpResponse): ParsedResponse => ({
  ...readHead(response),
  content: readContent(response),
})

/** Reads an incomplete response. */
export const readCutOff = ({ message, response }: CutOffError): ParsedResponse => ({
  ...readHead(response),
  content: { kind: 'unreadable', reason: message, text: Buffer.from(response.body).toString() },
})

/** The years of an HTTP date have four digits. The journal refuses times before 1970. */
const endOfDates = Date.UTC(10_000, 0)

const readHead = ({ status, headers }: HttpResponse): Omit<ParsedResponse, 'content'> => {
  const serverTime = Date.parse(headers.date ?? '')
  const { location = '' } = headers
  // Only the origin, because the query may contain a key.
  const redirect = URL.canParse(location) ? `to ${new URL(location).origin}` : 'elsewhere'
  return {
    status,
    redirect: location === '' ? undefined : redirect,
    serverTime: serverTime >= 0 && serverTime < endOfDates ? serverTime : undefined,
  }
}

/** Checks the first characters, too, because the content type may be wrong or missing. */
export const detectKind = (type: string | undefined = '', text: string): 'json' | 'text' | 'html' => {
  if (/\bhtml\b/i.test(type) || /^\s*<(?:!doctype|html)\b/i.test(text)) return 'html'
  const isText = text.trim() === '' || (!/\bjson\b/i.test(type) && !/^\s*[[{"]/.test(text))
  return isText ? 'text' : 'json'
}

const readContent = ({ headers, body }: HttpResponse): Content => {
  const bytes = Buffer.from(body)
  const createUnreadable = (problem: string): Content => ({
    kind: 'unreadable',
    reason: `the response ${problem}`,
    text: bytes.toString(),
  })
  const length = headers['content-length']
  // undici rejects a wrong length, but other transports do not.
  if (length !== undefined && Number(length) !== bytes.length) return createUnreadable('is cut off')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const kind = detectKind(headers['content-type'], text)
    return kind === 'json' ? { kind, document: readJson(text) } : { kind, text }
  } catch (error) {
    return createUnreadable(error instanceof JsonError ? error.withoutKeys : 'is not UTF-8 text')
  }
}
