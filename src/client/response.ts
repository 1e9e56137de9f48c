// Reads a response of any shape: its content, the messages in an error, and the id of a new order in a damaged response.
// Masks the codes in messages.

import { JsonError, readJson } from '../contract/json.ts'
import { isOrderId } from '../contract/order/reference.ts'
import { endOfDates } from '../contract/time.ts'
import type { CutOffError, HttpResponse } from '../contract/transport.ts'
import { decodeHtml, replaceInPlain, replaceLookalikes, replaceNamedPins } from '../text/known-codes.ts'

const maxRead = 20_000

/** Returns all candidates, the most likely first. */
export const findMessages = (content: Content): string[] => {
  if (content.kind === 'unreadable') return []
  const texts =
    content.kind === 'json'
      ? collectTexts(content.document, 0)
      : [content.kind === 'html' ? readPageTitle(content.text) : content.text]
  return [...new Set(texts.map(shorten))].filter((text) => text !== '')
}

/** Masks everything that could be a code, except error names such as INSUFFICIENT_FUNDS, and texts of the request. */
export const maskCodes = (text: string, sent: readonly string[]): string =>
  replaceInPlain(text, (part) => {
    const masked = replaceLookalikes(part, (found) =>
      /^[A-Z_]+$/.test(found) || sent.some((each) => each.includes(found)) ? found : '••••',
    )
    return replaceNamedPins(masked, () => '••••')
  })

const collectTexts = (value: unknown, depth: number): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 3) return []
  if (Array.isArray(value)) return value.slice(0, 20).flatMap((item) => collectTexts(item, depth + 1))
  const fields = value as Record<string, unknown>
  return ['message', 'error', 'errors', 'detail', 'title'].flatMap((name) =>
    Object.hasOwn(fields, name) ? collectTexts(fields[name], depth + 1) : [],
  )
}

// A proxy's error page has its message in the title.
export const readPageTitle = (html: string): string =>
  shorten(stripTags(/<title[^>]*>([^<]*)/i.exec(html.slice(0, maxRead))?.[1] ?? ''))

const stripTags = (html: string): string => decodeHtml(html.replace(/<[^>]*>/g, ' '))

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

/** Returns the id of `data` in a damaged response to create, if it is the first of its fields, as documented. */
export const salvageId = (text: string): string | undefined => {
  // An HTML page may contain its own ids.
  if (!/^\s*\{/.test(text)) return undefined
  const [, id = ''] = /"data"\s*:\s*\{\s*"id"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text) ?? []
  // U+FFFD replaces bytes that are not UTF-8.
  return isOrderId(id) && !/[\\\ufffd]/.test(id) ? id : undefined
}

const maxLength = 300

/** One line of a text that a service sent. */
export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line
}
