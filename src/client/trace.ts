// Records what --debug shows about each request: never a key, a header or a body.

import { findOperation, stripQuery } from '../contract/endpoints.ts'
import { readJson } from '../contract/json.ts'
import type { Clock } from '../contract/time/clock.ts'
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
    const { method, path, body = '' } = request
    const start = clock.now()
    const record = (more: Partial<TraceEvent>): void =>
      onRequest({
        ...{ method, url: baseUrl.replace(/\/+$/, '') + path, ms: clock.now() - start },
        requestBytes: Buffer.byteLength(body),
        ...more,
      })
    try {
      const response = await transport(request)
      const { status, headers } = response
      record({
        ...{ status, responseBytes: Buffer.byteLength(response.body) },
        requestId: headers['x-request-id'] ?? headers['request-id'],
        orderId: findOrderId(request, response),
      })
      return response
    } catch (error) {
      const failure = error instanceof Error ? error.message : 'failed'
      record({ failure, orderId: findOrderId(request) })
      throw error
    }
  }

const findOrderId = ({ method, path, body }: HttpRequest, response?: HttpResponse): string | undefined => {
  switch (findOperation(method, path)) {
    case 'get':
      return new URLSearchParams(path.slice(stripQuery(path).length)).get('orderId') ?? undefined
    case 'confirm':
      return readTextAt(body, ['orderId'])
    case 'create':
      return isSuccess(response?.status ?? 0) ? readTextAt(response?.body, ['data', 'id']) : undefined
    default:
      return undefined
  }
}

const readTextAt = (body: string | Uint8Array = '', path: readonly string[]): string | undefined => {
  try {
    const found = path.reduce<unknown>(
      (value, key) => (value as Record<string, unknown>)[key],
      readJson(body),
    )
    return typeof found === 'string' ? found : undefined
  } catch {
    return undefined
  }
}
