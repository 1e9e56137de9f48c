// The latest requests and responses, for the inspector. It keeps what the service already has, and formats nothing.
import type { HttpRequest, HttpResponse } from '../../contract/transport.ts'
import type { LogEntry } from '../request-log.ts'

type Body = string | Uint8Array

/** The beginning of a body. `size` is the length of the whole body, in bytes or UTF-16 units. */
type KeptBody = { readonly content: Body; readonly size: number }

type Exchange = {
  /** Counts from 1. */
  readonly id: number
  readonly entry: LogEntry
  readonly request: Pick<HttpRequest, 'method' | 'path' | 'headers'> & { readonly body: KeptBody }
  /** Undefined if the client got no response. */
  readonly response: (Pick<HttpResponse, 'status' | 'headers'> & { readonly body: KeptBody }) | undefined
}

export type ExchangeLog = ReturnType<typeof createExchangeLog>

const defaultLimits = {
  exchanges: 1_000,
  /** Of one body. */
  bodySize: 64 * 1024,
  /** Of all bodies together. */
  totalSize: 16 * 1024 * 1024,
}

export const createExchangeLog = (limits = defaultLimits) => {
  // A ring, because removing the first entry of a list at each request would move the whole list.
  const ring: (Exchange | undefined)[] = []
  let oldest = 1
  let newest = 0
  let totalSize = 0

  const find = (id: number): Exchange | undefined => {
    const found = ring[id % limits.exchanges]
    return found?.id === id ? found : undefined
  }

  const removeOldest = (): void => {
    totalSize -= sizeOf(find(oldest))
    ring[oldest % limits.exchanges] = undefined
    oldest += 1
  }

  return {
    find,
    record: (entry: LogEntry, request: HttpRequest, response: HttpResponse | undefined): void => {
      newest += 1
      if (newest - oldest >= limits.exchanges) removeOldest()
      const { method, path, headers, body = '' } = request
      const exchange: Exchange = {
        id: newest,
        entry,
        request: { method, path, headers, body: keepBody(body, limits.bodySize) },
        response: response && {
          status: response.status,
          headers: response.headers,
          body: keepBody(response.body, limits.bodySize),
        },
      }
      ring[newest % limits.exchanges] = exchange
      totalSize += sizeOf(exchange)
      while (totalSize > limits.totalSize && oldest < newest) removeOldest()
    },
    /** Oldest first. */
    listAfter: (id: number): Exchange[] => {
      const from = Math.max(id + 1, oldest)
      return Array.from({ length: newest - from + 1 }, (_, index) => find(from + index)).filter(
        (exchange) => exchange !== undefined,
      )
    },
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

const keepBody = (body: Body, limit: number): KeptBody => ({
  content: body.length <= limit ? body : copyStart(body, limit),
  size: body.length,
})

// A substring or view would keep the whole body in memory.
const copyStart = (body: Body, limit: number): Uint8Array =>
  typeof body === 'string'
    ? new TextEncoder().encode(body.slice(0, limit))
    : Uint8Array.from(body.subarray(0, limit))

// A confirm is short. Larger bodies are not searched, because a page asks for 1,000 requests at once.
const searchedSize = 1_000

/** For requests that did not reach an order: a fault handled them, or they were refused. */
const findOrderId = ({ entry, request: { path, body } }: Exchange): string | undefined => {
  if (entry.orderId !== undefined) return entry.orderId
  const inQuery = new URLSearchParams(path.slice(entry.path.length)).get('orderId')
  if (inQuery !== null || body.size > searchedSize) return inQuery ?? undefined
  const text = typeof body.content === 'string' ? body.content : new TextDecoder().decode(body.content)
  return /"orderId"\s*:\s*"([^"\\]+)"/.exec(text)?.[1]
}

/** For the list. It has no header and no body. */
export const summarizeExchange = (exchange: Exchange) => {
  const { id, entry, request } = exchange
  return {
    id,
    at: entry.at,
    ms: entry.ms,
    method: request.method,
    path: request.path,
    status: entry.status,
    orderId: findOrderId(exchange),
    message: entry.message,
    fault: entry.fault,
  }
}

export const describeExchange = (exchange: Exchange) => {
  const { request, response } = exchange
  return {
    ...summarizeExchange(exchange),
    request: { headers: Object.entries(request.headers), body: describeBody(request.body) },
    response:
      response === undefined
        ? null
        : {
            status: response.status,
            headers: Object.entries(response.headers),
            body: describeBody(response.body),
          },
  }
}

/** Bytes that are not UTF-8 are written as base64. */
const describeBody = ({ content, size }: KeptBody) => {
  const isCut = size > content.length
  if (typeof content === 'string') return { text: content, size, isCut }
  const text = decode(content, isCut)
  return text === undefined
    ? {
        base64: Buffer.from(content.buffer, content.byteOffset, content.length).toString('base64'),
        size,
        isCut,
      }
    : { text, size, isCut }
}

const decode = (bytes: Uint8Array, isCut: boolean): string | undefined => {
  try {
    // A body that was cut may end within a character.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
