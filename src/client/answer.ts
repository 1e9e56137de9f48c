// Reads an answer once: its status, its time and its content, before anybody judges it.
import { JsonError, readJson } from '../contract/json.ts'
import type { CutOff, HttpResponse } from '../contract/transport.ts'

export type Content =
  | { readonly kind: 'json'; readonly document: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'html'; readonly text: string }
  /** Cut off, or invalid. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly text: string }

export type Answer = {
  readonly status: number
  readonly content: Content
  /** Where it redirects to: 'to ORIGIN', or 'elsewhere'. */
  readonly redirect?: string
  /** The service's own time, in milliseconds. */
  readonly serverTime?: number
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

export const readAnswer = (response: HttpResponse): Answer => ({
  ...readHead(response),
  content: readContent(response),
})

/** An answer that began, and is not complete. */
export const readCutOff = ({ message, begun }: CutOff): Answer => ({
  ...readHead(begun),
  content: { kind: 'unreadable', reason: message, text: Buffer.from(begun.body).toString() },
})

const readHead = ({ status, headers }: HttpResponse): Omit<Answer, 'content'> => {
  const serverTime = Date.parse(headers.date ?? '')
  const { location = '' } = headers
  // The origin alone: the query may repeat that of the request.
  const redirect = URL.canParse(location) ? `to ${new URL(location).origin}` : 'elsewhere'
  return {
    status,
    ...(location === '' ? {} : { redirect }),
    ...(Number.isNaN(serverTime) ? {} : { serverTime }),
  }
}

/** By the content type, and by the first characters if the type says too little. */
export const detectKind = (type: string | undefined = '', text: string): 'json' | 'text' | 'html' => {
  if (/\bhtml\b/i.test(type) || /^\s*<(?:!doctype|html)\b/i.test(text)) return 'html'
  const isText = text.trim() === '' || (!/\bjson\b/i.test(type) && !/^\s*[[{"]/.test(text))
  return isText ? 'text' : 'json'
}

const readContent = ({ headers, body }: HttpResponse): Content => {
  const bytes = Buffer.from(body)
  const unreadable = (what: string): Content => ({
    kind: 'unreadable',
    reason: `the answer ${what}`,
    text: bytes.toString(),
  })
  const announced = headers['content-length']
  // Only a transport without a socket passes on a body that is shorter than announced.
  if (announced !== undefined && Number(announced) !== bytes.length) return unreadable('is cut off')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const kind = detectKind(headers['content-type'], text)
    return kind === 'json' ? { kind, document: readJson(text) } : { kind, text }
  } catch (error) {
    return unreadable(error instanceof JsonError ? error.withoutKeys : 'is not UTF-8 text')
  }
}
