// Explains what the journal knows about an order: who placed it, who revealed codes, and what the service responded.
import { nameActor } from '../../../text/actor-name.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { describeRevealWay } from '../../text/reveals.ts'
import { formatClock } from '../../text/time.ts'
import { findTicketReveals, type Ticket, type TicketCall } from './ticket.ts'

const formatUtc = (ms: number): string => formatClock(ms, { timeZone: 'UTC', now: ms })

export const explainReveals = (ticket: Ticket): string[] => {
  if (ticket.history === undefined) return ['This journal does not have the order.']
  const reveals = findTicketReveals(ticket)
  if (reveals.length === 0) return ['Nobody, as far as this journal knows.']
  return reveals.map(({ at, by, how, skus }) => {
    const products = skus.map(sanitize).join(', ')
    return `${formatUtc(at)} by ${sanitize(nameActor(by))}: ${products}, ${describeRevealWay(how)}.`
  })
}

const settlements = new Map([
  ['took-effect', 'it took effect'],
  ['no-effect', 'it had no effect'],
  ['expired', 'the order expired'],
])

const explainCall = ({ operation, outcome, settled, status, refusal, startedAt, by }: TicketCall): string => {
  const response = [refusal, status === undefined ? undefined : `status ${status}`]
    .filter((part) => part !== undefined)
    .map(sanitize)
    .join(', ')
  const later =
    settled === undefined ? '' : `; later it was proven that ${settlements.get(settled) ?? settled}`
  const who = by === undefined ? '' : ` by ${sanitize(nameActor(by))}`
  return `${operation} ${formatUtc(startedAt)}${who}: ${sanitize(outcome)}${response === '' ? '' : ` (${response})`}${later}.`
}

/** The state and the invoice are those of the last response. */
export const explainResponses = ({ order, history }: Ticket, { now }: Pick<View, 'now'>): string[] => [
  ...(history?.calls ?? []).map(explainCall),
  `get ${formatUtc(now)}: state ${sanitize(order.state)}, invoice ${sanitize(order.invoice.status)}.`,
]
