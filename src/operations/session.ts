// What the operations on the orders of one account need.
import type { Api } from '../client/api.ts'
import type { Outcome } from '../client/outcome.ts'
import type { Clock } from '../contract/clock.ts'
import type { Order } from '../contract/schemas.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry, Owner } from '../journal/orders/entry.ts'
import type { Known } from './evidence.ts'

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
   * Records a response to `get`, and returns the order as the journal has it then. `entry` is by default the one with the id.
   * The response may be older than the entry. If the journal cannot be used, prints only a warning.
   */
  record(orderId: string, response: Outcome<Order>, entry?: Entry): Promise<Known | undefined>
}

/** Callbacks of create and confirm. */
export type Progress = {
  /** Called when the request is sent. */
  readonly onSending?: () => void
  /** Called if the response was not a valid success, before `settle` asks for the order repeatedly. */
  readonly onSettling?: (reason: string) => void
}
