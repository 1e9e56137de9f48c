// What is true of an order by the service and by the wire, whatever the journal makes of it.
import { pendingState } from '../../src/contract/states.ts'
import type { Call } from '../../src/journal/entry.ts'
import type { Noted } from './verdict.ts'
import type { ServiceOrder, World } from './world.ts'

type Wire = Pick<World, 'sightings' | 'now'>

const minuteMs = 60_000
/** The service's `Date` has whole seconds. */
const marginMs = 2_000

const isUnconfirmed = ({ state }: ServiceOrder): boolean => state === pendingState

/** The confirms that may have reached the service. */
export const confirmsOf = ({ calls }: Noted): Call[] =>
  calls.filter(({ operation, outcome }) => operation === 'confirm' && outcome !== 'not-sent')

/** Two answers of `get`, at least 60 s apart and both later than expiry + 60 s, showed the order unconfirmed. */
const isProven = (
  { id, expiresAt }: ServiceOrder,
  { sightings }: Wire,
  more: readonly number[] = [],
): boolean => {
  const times = sightings.filter(({ orderId }) => orderId === id).map(({ at }) => at)
  const late = [...times, ...more].filter((at) => at > expiresAt + minuteMs)
  return Math.max(...late) - Math.min(...late) >= minuteMs
}

/** A confirm of the order may have spent, or may spend yet. */
export const isUnproven = (entry: Noted, order: ServiceOrder, wire: Wire): boolean =>
  confirmsOf(entry).length > 0 && isUnconfirmed(order) && !isProven(order, wire)

/** It spent nothing and cannot spend any more, at the latest by a further `get` at this moment. */
export const isDead = (entry: Noted, order: ServiceOrder, wire: Wire): boolean => {
  if (!isUnconfirmed(order)) return false
  return confirmsOf(entry).length > 0
    ? isProven(order, wire, [wire.now()])
    : wire.now() > order.expiresAt + marginMs
}

/** How the journal has to show the order, once it has been reconciled. */
export const standingOf = (entry: Noted, order: ServiceOrder | undefined, wire: Wire): string => {
  if (entry.orderId === undefined) return 'unanswered'
  if (order === undefined) return 'an order of the service'
  if (!isUnconfirmed(order)) return order.state
  if (isDead(entry, order, wire)) return 'expired'
  return confirmsOf(entry).some(({ outcome }) => outcome !== 'refused') ? 'unknown' : pendingState
}

/** What the journal may say of a confirm whose answer was no valid success. */
export const settlementOf = (order: ServiceOrder, wire: Wire): Call['settled'] => {
  if (!isUnconfirmed(order)) return 'took-effect'
  return isProven(order, wire) ? 'expired' : undefined
}
