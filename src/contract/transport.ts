// A transport takes one HTTP request and returns one HTTP response. Both are plain values. Also the methods and paths of
// the operations (order-service.md 4), and the collection of a body.

import type { Operation } from './refusals.ts'

/** Header names are lower case. */
export type Headers = Readonly<Record<string, string>>

export type HttpRequest = {
  readonly method: string
  /** The path below the base URL, with its query: `/order/get?orderId=…`. */
  readonly path: string
  readonly headers: Headers
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
}

export type HttpResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array
}

/** Instead of the body, `parts` are sent as they are made, until the client disconnects or the server closes. */
export type ServedResponse = HttpResponse & {
  readonly parts?: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>
}

export type Transport = (request: HttpRequest) => Promise<HttpResponse>

/** The connection was reset, or closed without a byte, instead of a response. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError'
  readonly how: 'reset' | 'close'

  constructor(how: 'reset' | 'close') {
    super(how === 'reset' ? 'the connection was reset' : 'the connection closed without a response')
    this.how = how
  }
}

/** It is proven that no byte of the request was sent, so the call may be repeated. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError'
  /** What a person must do first. Without it, the same call may succeed soon. */
  readonly advice: string | undefined

  constructor(reason: string, advice?: string, options?: ErrorOptions) {
    super(reason, options)
    this.advice = advice
  }
}

/** The response is incomplete: `response` contains its head and the part of the body that arrived. */
export class CutOffError extends Error {
  override readonly name = 'CutOffError'
  readonly response: HttpResponse

  constructor(reason: string, response: HttpResponse) {
    super(reason)
    this.response = response
  }
}

type Endpoint = { readonly method: string; readonly path: string }

export const endpoints: Readonly<Record<Operation, Endpoint>> = {
  create: { method: 'POST', path: '/order/create' },
  confirm: { method: 'PUT', path: '/order/confirm' },
  get: { method: 'GET', path: '/order/get' },
}

export const operations = Object.keys(endpoints) as Operation[]

export const stripQuery = (target: string): string => {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

export const findOperation = (method: string, target: string): Operation | undefined => {
  const path = stripQuery(target)
  return operations.find((name) => endpoints[name].path === path && endpoints[name].method === method)
}

/** `Retry-After` in milliseconds: it is a number of seconds, or a date by the clock of the sender. */
export const readRetryAfter = (
  { headers }: Pick<HttpResponse, 'headers'>,
  now: number,
): number | undefined => {
  const value = headers['retry-after']?.trim() ?? ''
  const sentAt = Date.parse(headers.date ?? '')
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Number.isNaN(sentAt) ? now : sentAt)
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

/**
 * Copies the chunks into one buffer. A chunk of one byte may keep alive the 64 KiB that it was read into, with the
 * extensions of its size.
 */
export const createBody = (maxBytes: number) => {
  let buffer = new Uint8Array()
  let size = 0
  return {
    /** Returns false, and drops the chunk, if the body would be larger than allowed. */
    add: (chunk: Uint8Array): boolean => {
      const end = size + chunk.length
      if (end > maxBytes) return false
      if (end > buffer.length) {
        const larger = new Uint8Array(Math.min(maxBytes, 2 * end))
        larger.set(buffer.subarray(0, size))
        buffer = larger
      }
      buffer.set(chunk, size)
      size = end
      return true
    },
    /** Undefined if it is empty. */
    read: () => (size === 0 ? undefined : buffer.subarray(0, size)),
  }
}
