// Parses a response into its status, time and content, and finds the id of a new order in a response that is damaged.
import { JsonError, readJson } from '../contract/json.ts'
import { isOrderId } from '../contract/order/order-words.ts'
import { endOfDates } from '../contract/time/timestamp.ts'
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
  /** It has an `Age` that is not 0. */
  readonly isCached: boolean
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

const readHead = ({ status, headers }: HttpResponse): Omit<ParsedResponse, 'content'> => {
  const serverTime = Date.parse(headers.date ?? '')
  const { location = '' } = headers
  // Only the origin, because the query may contain a key.
  const redirect = URL.canParse(location) ? `to ${new URL(location).origin}` : 'elsewhere'
  return {
    status,
    redirect: location === '' ? undefined : redirect,
    // The journal refuses times before 1970.
    serverTime: serverTime >= 0 && serverTime < endOfDates ? serverTime : undefined,
    isCached: Number(headers.age ?? 0) !== 0,
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

const token = /\s*(?:("(?:[^"\\\u0000-\u001f]|\\.)*")|([{}[\],:])|[^\s"{}[\],:]+)/y

type Open = { readonly mark: string; key?: string; awaitsKey: boolean }

/** Returns `data.id`, or undefined if it is missing or there are two different ids. */
export const salvageId = (text: string): string | undefined => {
  // An HTML page may contain its own ids.
  if (!/^\s*\{/.test(text)) return undefined
  const open: Open[] = []
  const found = new Set<string>()
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [, string, mark] = match
    const inner = open.at(-1)
    if (mark === '{' || mark === '[') open.push({ mark, awaitsKey: mark === '{' })
    else if (mark === '}' || mark === ']') open.pop()
    else if (inner === undefined) continue
    else if (mark !== undefined) inner.awaitsKey = mark === ',' && inner.mark === '{'
    else if (string !== undefined) {
      const value = parseString(string)
      if (value === undefined) break
      if (inner.awaitsKey) inner.key = value
      else if (open.length === 2 && open[0]?.key === 'data' && inner.key === 'id') found.add(value)
    }
  }
  const [id = '', ...others] = found
  // U+FFFD replaces bytes that are not UTF-8.
  return isOrderId(id) && !id.includes('\ufffd') && others.length === 0 ? id : undefined
}

const parseString = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted)
  } catch {
    return undefined
  }
}
