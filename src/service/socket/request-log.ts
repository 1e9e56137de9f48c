// What was asked of the service: a line a request, never with a code in it.
import type { Clock } from '../../contract/clock.ts'
import { pathOf } from '../../contract/endpoints.ts'
import {
  Disconnected,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../../contract/transport.ts'

/** What a handler lets the log know; the answer itself may hold codes. */
export type Facts = { orderId?: string; message?: string; fault?: string }

export type Handler = (request: HttpRequest, facts: Facts) => Promise<HttpResponse>

export type LogEntry = Readonly<Facts> & {
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** Null where the connection went away instead of an answer. */
  readonly status: number | null
  readonly ms: number
}

const kept = 1_000

export type RequestLog = ReturnType<typeof createRequestLog>

export const createRequestLog = (clock: Clock, onRequest: (entry: LogEntry) => void) => {
  let entries: LogEntry[] = []
  const record = (entry: LogEntry): void => {
    entries.push(entry)
    // Cut rarely: a shift at each request would move the whole list.
    if (entries.length >= 2 * kept) entries = entries.slice(-kept)
    onRequest(entry)
  }
  return {
    newest: (limit: number): LogEntry[] => entries.slice(-Math.min(limit, kept)).reverse(),
    clear: (): void => {
      entries = []
    },
    around:
      (handler: Handler): Transport =>
      async (request) => {
        const facts: Facts = {}
        const start = clock.now()
        const entry = (status: number | null): LogEntry => ({
          at: start,
          method: request.method,
          path: pathOf(request.path),
          status,
          ms: clock.now() - start,
          ...facts,
        })
        try {
          const response = await handler(request, facts)
          record(entry(response.status))
          return response
        } catch (error) {
          facts.message ??= error instanceof Disconnected ? error.message : 'Unexpected server error.'
          record(entry(error instanceof Disconnected ? null : 500))
          throw error
        }
      },
  }
}
