// An answer, read once: what kind of thing it is, before anyone asks what it means.
import { JsonError, readJson } from '../contract/json.ts'
import type { HttpResponse } from '../contract/transport.ts'

export type Content =
  | { readonly kind: 'json'; readonly document: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'html'; readonly text: string }
  /** Cut off, or nothing that can be read. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly text: string }

export type Answer = {
  readonly status: number
  readonly content: Content
  /** Where it redirects: to an origin, or just elsewhere. */
  readonly redirect?: string
  /** The service's own time, in milliseconds. */
  readonly serverTime?: number
}

export const readAnswer = (response: HttpResponse): Answer => {
  const { status, headers } = response
  const serverTime = Date.parse(headers.date ?? '')
  const { location = '' } = headers
  // The origin alone: a query may repeat ours.
  const where = URL.canParse(location) ? `to ${new URL(location).origin}` : 'elsewhere'
  return {
    status,
    content: contentOf(response),
    ...(location === '' ? {} : { redirect: where }),
    ...(Number.isNaN(serverTime) ? {} : { serverTime }),
  }
}

/** By its type, and where that says nothing or too little, by how it begins. */
export const kindOf = (type: string | undefined = '', text: string): 'json' | 'text' | 'html' => {
  if (/\bhtml\b/i.test(type) || /^\s*<(?:!doctype|html)\b/i.test(text)) return 'html'
  const isText = text.trim() === '' || (!/\bjson\b/i.test(type) && !/^\s*[[{"]/.test(text))
  return isText ? 'text' : 'json'
}

const contentOf = ({ headers, body }: HttpResponse): Content => {
  const bytes = Buffer.from(body)
  const unreadable = (what: string): Content => ({
    kind: 'unreadable',
    reason: `the answer ${what}`,
    text: bytes.toString(),
  })
  const announced = headers['content-length']
  // A transport that has no socket passes on what was announced, and what there is.
  if (announced !== undefined && Number(announced) !== bytes.length) return unreadable('is cut off')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const kind = kindOf(headers['content-type'], text)
    return kind === 'json' ? { kind, document: readJson(text) } : { kind, text }
  } catch (error) {
    return unreadable(error instanceof JsonError ? error.withoutKeys : 'is not UTF-8 text')
  }
}
