// The line of the access log for an attempt to deliver a webhook.
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/theme.ts'

export type SeenDelivery = {
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  readonly origin: string
  readonly orderId: string
  readonly event: string
  readonly number: number
  readonly status?: number
  readonly error?: string
  readonly ms: number
  readonly state: 'pending' | 'delivered' | 'given-up'
  readonly retryInMs?: number
}

export const renderAttempt = (seen: SeenDelivery, theme: Theme): string => {
  const { at, origin, orderId, event, number, status, error, ms, state, retryInMs = 0 } = seen
  const clock = theme.quiet(new Date(at).toTimeString().slice(0, 8))
  const paint = { delivered: theme.good, pending: theme.warning, 'given-up': theme.bad }[state]
  const result = paint(status === undefined ? '---' : String(status))
  const next = {
    delivered: '',
    pending: `next in ${Math.ceil(retryInMs / 1000)} s`,
    'given-up': 'no further attempt',
  }
  const detail = [`webhook ${event}, attempt ${number}`, error ?? '', next[state]].filter(
    (text) => text !== '',
  )
  return `${clock}  hook  ${sanitize(origin).padEnd(14)}  ${result}  ${`${ms} ms`.padStart(6)}  ${sanitize(orderId)}  ${sanitize(detail.join('; '))}\n`
}
