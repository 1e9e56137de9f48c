// The line that --debug prints for each request.
import type { TraceEvent } from '../../client/observe-transport.ts'
import { sanitize } from '../terminal/text.ts'

export const renderTrace = (traced: TraceEvent): string => {
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
