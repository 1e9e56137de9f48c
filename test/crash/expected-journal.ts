// The journal's expected entry of an order, derived from the service and the requests.
import { pendingState } from '../../src/contract/states.ts'
import type { Call } from '../../src/journal/orders/entry.ts'
import type { JournalEntry } from './checks.ts'
import type { ServiceOrder, World } from './world.ts'

type Wire = Pick<World, 'observations' | 'now'>

const minuteMs = 60_000
/** The service's `Date` has whole seconds. */
const marginMs = 2_000

const isUnconfirmed = ({ state }: ServiceOrder): boolean => state === pendingState

/** The confirms that may have reached the service. */
export const confirmsOf = ({ calls }: JournalEntry): Call[] =>
  calls.filter(({ operation, outcome }) => operation === 'confirm' && outcome !== 'not-sent')

/** Two responses of `get`, at least 60 s apart and both later than expiry + 60 s, showed the order unconfirmed. */
const isProven = (
  { id, expiresAt }: ServiceOrder,
  { observations }: Wire,
  more: readonly number[] = [],
): boolean => {
  const times = observations.filter(({ orderId }) => orderId === id).map(({ at }) => at)
  const late = [...times, ...more].filter((at) => at > expiresAt + minuteMs)
  return Math.max(...late) - Math.min(...late) >= minuteMs
}

/** A confirm of the order may have spent money, or may still do so. */
export const isUnproven = (entry: JournalEntry, order: ServiceOrder, wire: Wire): boolean =>
  confirmsOf(entry).length > 0 && isUnconfirmed(order) && !isProven(order, wire)

/** The order spent nothing and cannot spend any more. A `get` at this moment would prove it. */
export const isDead = (entry: JournalEntry, order: ServiceOrder, wire: Wire): boolean => {
  if (!isUnconfirmed(order)) return false
  return confirmsOf(entry).length > 0
    ? isProven(order, wire, [wire.now()])
    : wire.now() > order.expiresAt + marginMs
}

/** The state that the journal must show after reconcile. */
export const expectedStateOf = (entry: JournalEntry, order: ServiceOrder | undefined, wire: Wire): string => {
  // A killed create stays `creating` until a command uses its reference again.
  if (entry.orderId === undefined) return entry.state === 'creating' ? 'creating' : 'lost'
  if (order === undefined) return 'an order of the service'
  if (!isUnconfirmed(order)) return order.state
  // A late response to create gives the order its id, but its reference may be in use again.
  if (entry.state === 'lost' && confirmsOf(entry).length === 0) return 'lost'
  if (isDead(entry, order, wire)) return 'expired'
  return confirmsOf(entry).some(({ outcome }) => outcome !== 'refused') ? 'unknown' : pendingState
}

/** The settlement that the journal must have for a confirm without a valid success. */
export const expectedSettlementOf = (order: ServiceOrder, wire: Wire): Call['settled'] => {
  if (!isUnconfirmed(order)) return 'took-effect'
  return isProven(order, wire) ? 'expired' : undefined
}
