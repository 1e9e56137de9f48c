// The log of requests. It never contains a redeem code.

import type { Clock } from '../contract/time/clock.ts'
import {
  DisconnectedError,
  type HttpRequest,
  type HttpResponse,
  stripQuery,
  type Transport,
} from '../contract/transport.ts'
/** The fields that a handler adds to the log. The log does not read responses, because they can contain codes. */
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

export const createRequestLog = (
  clock: Clock,
  onExchange: (entry: LogEntry, request: HttpRequest, response: HttpResponse | undefined) => void,
) => {
  /** `response`: undefined if a fault or a defect left the client without one. */
  const record = (
    request: HttpRequest,
    at: number,
    facts: Facts,
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
        const facts: Facts = {}
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
