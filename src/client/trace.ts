// Records what --debug shows about each request: never a key, a header or a body.
import type { Clock } from '../contract/clock.ts'
import { findOperation, stripQuery } from '../contract/endpoints.ts'
import { readJson } from '../contract/json.ts'
import type { HttpRequest, HttpResponse, Transport } from '../contract/transport.ts'
import { isSuccess } from './parsed-response.ts'

export type TraceEvent = {
  readonly method: string
  readonly url: string
  /** Absent if there was no response. */
  readonly status?: number
  /** The reason if there was no response. */
  readonly failure?: string
  readonly ms: number
  readonly requestBytes: number
  readonly responseBytes?: number
  /** The service's id of the request, from a header of its response. */
  readonly requestId?: string
  readonly orderId?: string
}

type Options = {
  readonly clock: Pick<Clock, 'now'>
  readonly baseUrl?: string
  readonly onRequest: (event: TraceEvent) => void
}

/** Records one event per attempt. */
export const withTracing =
  (transport: Transport, { clock, baseUrl = '', onRequest }: Options): Transport =>
  async (request) => {
    const start = clock.now()
    const record = (more: Partial<TraceEvent>): void =>
      onRequest({
        method: request.method,
        url: baseUrl.replace(/\/+$/, '') + request.path,
        ms: clock.now() - start,
        requestBytes: Buffer.byteLength(request.body ?? ''),
        ...more,
      })
    try {
      const response = await transport(request)
      record({
        status: response.status,
        responseBytes: Buffer.byteLength(response.body),
        requestId: response.headers['x-request-id'] ?? response.headers['request-id'],
        orderId: findOrderId(request, response),
      })
      return response
    } catch (error) {
      record({
        failure: error instanceof Error ? error.message : 'failed',
        orderId: findOrderId(request),
      })
      throw error
    }
  }

const findOrderId = ({ method, path, body }: HttpRequest, response?: HttpResponse): string | undefined => {
  switch (findOperation(method, path)) {
    case 'get':
      return new URLSearchParams(path.slice(stripQuery(path).length)).get('orderId') ?? undefined
    case 'confirm':
      return readTextAt(body, 'orderId')
    case 'create':
      return response !== undefined && isSuccess(response.status)
        ? readTextAt(response.body, 'data', 'id')
        : undefined
    default:
      return undefined
  }
}

const readTextAt = (
  body: string | Uint8Array | undefined,
  ...path: readonly string[]
): string | undefined => {
  try {
    let found: unknown = readJson(body ?? '')
    for (const key of path) found = (found as Record<string, unknown>)[key]
    return typeof found === 'string' ? found : undefined
  } catch {
    return undefined
  }
}
