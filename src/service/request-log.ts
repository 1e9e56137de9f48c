// The log of requests. It never contains a redeem code.
import type { Clock } from '../contract/clock.ts'
import { stripQuery } from '../contract/endpoints.ts'
import {
  DisconnectedError,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../contract/transport.ts'

/** What a handler adds to the log. The log does not read responses, because they can contain codes. */
export type Facts = { orderId?: string; message?: string; fault?: string }

export type Handler = (request: HttpRequest, facts: Facts) => Promise<HttpResponse>

export type LogEntry = Readonly<Facts> & {
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** Null if a fault closed the connection without a response. */
  readonly status: number | null
  readonly ms: number
}

const maxEntries = 1_000

export type RequestLog = ReturnType<typeof createRequestLog>

type OnExchange = (entry: LogEntry, request: HttpRequest, response: HttpResponse | undefined) => void

export const createRequestLog = (
  clock: Clock,
  onRequest: (entry: LogEntry) => void,
  onExchange: OnExchange = () => {},
) => {
  let entries: LogEntry[] = []
  const record: OnExchange = (entry, request, response) => {
    entries.push(entry)
    // Trimmed rarely, because removing the first entry at each request would move the whole list.
    if (entries.length >= 2 * maxEntries) entries = entries.slice(-maxEntries)
    onRequest(entry)
    onExchange(entry, request, response)
  }
  return {
    listNewest: (limit: number): LogEntry[] => entries.slice(-Math.min(limit, maxEntries)).reverse(),
    clear: (): void => {
      entries = []
    },
    /** For a request that the listener handled itself. */
    recordRefusal: (request: HttpRequest, response: HttpResponse, message: string): void => {
      const { method } = request
      const { status } = response
      const path = removePassword(request.path)
      const entry = { at: clock.now(), method, path: stripQuery(path), status, ms: 0, message }
      record(entry, { ...request, path }, response)
    },
    wrap:
      (handler: Handler): Transport =>
      async (request) => {
        const facts: Facts = {}
        const start = clock.now()
        const recordStatus = (status: number | null, response?: HttpResponse): void => {
          const entry = {
            at: start,
            method: request.method,
            path: stripQuery(request.path),
            status,
            ms: clock.now() - start,
            ...facts,
          }
          record(entry, request, response)
        }
        try {
          const response = await handler(request, facts)
          recordStatus(response.status, response)
          return response
        } catch (error) {
          facts.message ??= error instanceof DisconnectedError ? error.message : 'Unexpected server error.'
          recordStatus(error instanceof DisconnectedError ? null : 500)
          throw error
        }
      },
  }
}

/** A client that uses the service as its proxy sends a whole URL, which can contain a password. */
const removePassword = (target: string): string => target.replace(/^([^/?]*\/\/)[^/?]*@/, '$1')
