// The latest requests, and for the inspector their bodies. It keeps what the service already has and formats nothing.
import type { Headers, HttpRequest, HttpResponse } from '../contract/transport.ts'
import type { LogEntry } from './request-log.ts'

type Body = string | Uint8Array

/** The beginning of a body. `size` is the length of the whole body, in bytes or UTF-16 units. */
type KeptBody = { readonly content: Body; readonly size: number }

type KeptMessage = { readonly headers: Headers; readonly body: KeptBody }

type Exchange = {
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

export const exchangeLimits = {
  exchanges: 1_000,
  /** Of one body. */
  bodySize: 64 * 1024,
  /** Of all bodies together. */
  totalSize: 16 * 1024 * 1024,
}

export const createExchangeLog = (limits = exchangeLimits) => {
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
        ...{ id: newest, entry, path: request.path },
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
    newestId: (): number => newest,
    clear: (): void => {
      while (oldest <= newest) removeOldest()
    },
  }
}

const sizeOf = (exchange: Exchange | undefined): number =>
  (exchange?.request.body.content.length ?? 0) + (exchange?.response?.body.content.length ?? 0)

// A substring or view would keep the whole body in memory.
const copyStart = (body: Body, limit: number): Uint8Array =>
  typeof body === 'string'
    ? new TextEncoder().encode(body.slice(0, limit))
    : Uint8Array.from(body.subarray(0, limit))

// A confirm is short. Larger bodies are not searched, because a page asks for 1,000 requests at once.
const searchedSize = 1_000

/** For requests that did not reach an order: a fault handled them, or they were refused. */
const findOrderId = ({ entry, path, request: { body } }: Exchange): string | undefined => {
  if (entry.orderId !== undefined) return entry.orderId
  const inQuery = new URLSearchParams(path.slice(entry.path.length)).get('orderId')
  if (inQuery !== null || body.size > searchedSize) return inQuery ?? undefined
  return /"orderId"\s*:\s*"([^"\\]+)"/.exec(Buffer.from(body.content).toString())?.[1]
}

/** For the list. It contains no header and no body. */
export const summarizeExchange = (exchange: Exchange) => {
  const { id, entry, path } = exchange
  return { ...entry, id, path, orderId: findOrderId(exchange) }
}

export const describeExchange = (exchange: Exchange) => {
  const { request, response, entry } = exchange
  return {
    ...summarizeExchange(exchange),
    request: describeMessage(request),
    response: response === undefined ? null : { status: entry.status, ...describeMessage(response) },
  }
}

const describeMessage = ({ headers, body: { content, size } }: KeptMessage) => {
  const isCut = size > content.length
  return { headers: Object.entries(headers), body: { ...decode(content, isCut), size, isCut } }
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
