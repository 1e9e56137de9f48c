// The dependencies of the operations on one account's orders.
import type { Api, Outcome } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'
import type { Clock } from '../contract/time/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry, Known, Owner } from '../journal/orders/entries.ts'
import type { CardOfOrder } from './cards/seen-cards.ts'

/** The journal's entry of an order when a response to `get` is recorded. */
export type Recorded = {
  readonly known?: Known | undefined
  /** The cards of the response. Undefined if they could not be recorded. */
  readonly cards?: readonly CardOfOrder[] | undefined
}

export type Session = {
  readonly api: Api
  readonly clock: Clock
  readonly interrupted: AbortSignal
  /** Records every create and confirm before it is sent. */
  readonly journal: Journal
  readonly owner: Owner
  /** Whether the client masks this text in responses. Undefined if the account has no key. */
  readonly containsSecret?: ((text: string) => boolean) | undefined
  /** The service's time, by its last response. */
  serviceNow(): number
  /**
   * Records a response to `get`, which may be older than the entry. `entry` is by default the one with the id. If the journal
   * cannot be used, prints only a warning.
   */
  record(orderId: string, response: Outcome<Order>, entry?: Entry): Promise<Recorded>
}

export type Progress = {
  readonly onSending?: () => void
  /** Called if the response was not a valid success, before `settle` asks for the order repeatedly. */
  readonly onSettling?: (reason: string) => void
}
