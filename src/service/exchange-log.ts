// The latest requests, and for the inspector their bodies. It keeps what the service already has and formats nothing.
import type { Headers, HttpRequest, HttpResponse } from '../contract/transport.ts'
import type { LogEntry } from './request-log.ts'

export type Body = string | Uint8Array

/** The beginning of a body. `size` is the length of the whole body, in bytes or UTF-16 units. */
type KeptBody = { readonly content: Body; readonly size: number }

export type KeptMessage = { readonly headers: Headers; readonly body: KeptBody }

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

const defaultLimits = {
  exchanges: 1_000,
  /** Of one body. */
  bodySize: 64 * 1024,
  /** Of all bodies together. */
  totalSize: 16 * 1024 * 1024,
}

export const createExchangeLog = (given: Partial<typeof defaultLimits> = {}) => {
  const limits = { ...defaultLimits, ...given }
  const kept = new Map<number, Exchange>()
  let oldest = 1
  let newest = 0
  let totalSize = 0

  const keep = ({ headers, body = '' }: { headers: Headers; body?: Body }): KeptMessage => ({
    headers,
    body: {
      content: body.length <= limits.bodySize ? body : copyStart(body, limits.bodySize),
      size: body.length,
    },
  })

  const removeOldest = (): void => {
    totalSize -= sizeOf(kept.get(oldest))
    kept.delete(oldest)
    oldest += 1
  }

  return {
    find: (id: number): Exchange | undefined => kept.get(id),
    record: (entry: LogEntry, request: HttpRequest, response: HttpResponse | undefined): void => {
      newest += 1
      const exchange: Exchange = {
        id: newest,
        entry,
        path: request.path,
        request: keep(request),
        response: response && keep(response),
      }
      kept.set(newest, exchange)
      totalSize += sizeOf(exchange)
      while (kept.size > limits.exchanges || (totalSize > limits.totalSize && kept.size > 1)) removeOldest()
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

const sizeOf = (exchange: Exchange | undefined): number =>
  (exchange?.request.body.content.length ?? 0) + (exchange?.response?.body.content.length ?? 0)

// A substring or view would keep the whole body in memory.
const copyStart = (body: Body, limit: number): Uint8Array =>
  Uint8Array.from(Buffer.from(body.slice(0, limit)))
