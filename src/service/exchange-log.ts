// The latest requests with their bodies, as the inspector and GET /_mock/requests show them. Also the lines of the access log,
// which never contain a redeem code.

import type { Clock } from '../contract/time.ts'
import {
  DisconnectedError,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  stripQuery,
  type Transport,
} from '../contract/transport.ts'

type Body = string | Uint8Array

/** The beginning of a body. `size` is the length of the whole body, in bytes or UTF-16 units. */
type KeptBody = { readonly content: Body; readonly size: number }

type KeptMessage = { readonly headers: Headers; readonly body: KeptBody }

export type Exchange = {
  /** Counts from 1. */
  readonly id: number
  readonly entry: LogEntry
  /** Includes the query. */
  readonly path: string
  readonly request: KeptMessage
  /** Undefined if the client got no response. */
  readonly response: KeptMessage | undefined
}

export type ExchangeLog = ReturnType<typeof createExchangeLog>

const maxExchanges = 1_000

/** `bodySize`: how much is kept of each body. */
export const createExchangeLog = (bodySize: number) => {
  const kept = new Map<number, Exchange>()
  let oldest = 1
  let newest = 0

  const keep = ({ headers, body = '' }: { headers: Headers; body?: Body }): KeptMessage => ({
    headers,
    body: { content: body.length <= bodySize ? body : copyStart(body, bodySize), size: body.length },
  })

  const removeOldest = (): void => {
    kept.delete(oldest)
    oldest += 1
  }

  return {
    find: (id: number): Exchange | undefined => kept.get(id),
    record: (entry: LogEntry, request: HttpRequest, response: HttpResponse | undefined): void => {
      newest += 1
      kept.set(newest, {
        id: newest,
        entry,
        path: request.path,
        request: keep(request),
        response: response && keep(response),
      })
      if (kept.size > maxExchanges) removeOldest()
    },
    /** Oldest first. */
    listAfter: (id: number): Exchange[] => [...kept.values()].slice(Math.max(id + 1 - oldest, 0)),
    /** The id of the oldest exchange that is still kept. */
    oldestId: (): number => oldest,
    clear: (): void => {
      while (oldest <= newest) removeOldest()
    },
  }
}

// A substring or view would keep the whole body in memory.
const copyStart = (body: Body, limit: number): Uint8Array =>
  Uint8Array.from(Buffer.from(body.slice(0, limit)))

/** For the list. It contains no header and no body. */
export const summarizeExchange = ({ id, entry, path }: Exchange) => ({ ...entry, id, path })

export const describeExchange = (exchange: Exchange) => {
  const { request, response } = exchange
  return {
    ...summarizeExchange(exchange),
    request: describeMessage(request),
    response: response === undefined ? null : describeMessage(response),
  }
}

const describeMessage = ({ headers, body: { content, size } }: KeptMessage) => {
  const isCut = size > content.length
  return { headers, body: { ...decode(content, isCut), size, isCut } }
}

/** Bytes that are not UTF-8 are written as base64. */
const decode = (content: Body, isCut: boolean): { text: string } | { base64: string } => {
  if (typeof content === 'string') return { text: content }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    // A body that was cut may end within a character.
    return { text: decoder.decode(content, { stream: isCut }) }
  } catch {
    return { base64: Buffer.from(content).toString('base64') }
  }
}

/** The fields that a handler adds to the log. The log does not read responses, because they can contain codes. */
export type LogDetails = { orderId?: string; message?: string; fault?: string }

export type Handler = (request: HttpRequest, facts: LogDetails) => Promise<HttpResponse>

export type LogEntry = Readonly<LogDetails> & {
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** Null if a fault closed the connection without a response. */
  readonly status: number | null
  readonly ms: number
}

export const createRequestLog = (
  clock: Clock,
  onExchange: (entry: LogEntry, request: HttpRequest, response: HttpResponse | undefined) => void,
) => {
  /** `response`: undefined if a fault or a defect left the client without one. */
  const record = (
    request: HttpRequest,
    at: number,
    facts: LogDetails,
    status: number | null,
    response?: HttpResponse,
  ): void => {
    const { method, path } = request
    const entry = { at, method, path: stripQuery(path), status, ms: clock.now() - at, ...facts }
    onExchange(entry, request, response)
  }

  return {
    /** For a request that the listener handled itself. */
    recordRefusal: (refused: HttpRequest, response: HttpResponse, message: string): void => {
      // A client that uses the service as its proxy sends a whole URL, which can contain a password.
      const request = { ...refused, path: refused.path.replace(/^([^/?]*\/\/)[^/?]*@/, '$1') }
      record(request, clock.now(), { message }, response.status, response)
    },
    wrap:
      (handler: Handler): Transport =>
      async (request) => {
        const facts: LogDetails = {}
        const start = clock.now()
        try {
          const response = await handler(request, facts)
          record(request, start, facts, response.status, response)
          return response
        } catch (error) {
          const isFault = error instanceof DisconnectedError
          facts.message ??= isFault ? error.message : 'Unexpected server error.'
          record(request, start, facts, isFault ? null : 500)
          throw error
        }
      },
  }
}
