// The line that --debug prints for each request.
import { sanitize } from '../terminal/sanitize.ts'

export type Traced = {
  readonly method: string
  readonly url: string
  readonly status?: number
  readonly failure?: string
  readonly ms: number
  readonly requestBytes: number
  readonly responseBytes?: number
  readonly requestId?: string
  readonly orderId?: string
}

export const renderTrace = (traced: Traced): string => {
  const { method, url, status, failure, ms, requestBytes, responseBytes, requestId, orderId } = traced
  const parts = [
    `debug: ${method} ${sanitize(url)}`,
    status === undefined ? sanitize(failure ?? 'no response') : String(status),
    `${ms} ms`,
    `${requestBytes} B out${responseBytes === undefined ? '' : `, ${responseBytes} B in`}`,
    ...(orderId === undefined ? [] : [`order ${sanitize(orderId)}`]),
    ...(requestId === undefined ? [] : [`request ${sanitize(requestId)}`]),
  ]
  return `${parts.join('  ')}\n`
}
