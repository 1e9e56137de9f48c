// The dependencies of the operations on one account's orders.
import type { Api } from '../client/api.ts'
import type { Clock } from '../contract/time.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry, Known, Owner } from '../journal/orders/entries.ts'
import type { CardOfOrder, SeenCards } from './cards/seen-cards.ts'

/** What the journal has of an order when a response to `get` is recorded. */
export type OrderRecord = {
  readonly known?: Known | undefined
  /** The cards of the response. Undefined if they could not be recorded. */
  readonly cards?: readonly CardOfOrder[] | undefined
}

/** An order that was charged more than its total, or in a different currency. */
export type Overcharge = { readonly entry: Entry; readonly charged: string; readonly currency: string }

export type Session = {
  readonly api: Api
  readonly clock: Clock
  readonly interrupted: AbortSignal
  /** Records every create and confirm before it is sent. */
  readonly journal: Journal
  readonly journals: {
    /** For work that a command can do without. If the journal cannot be used, prints only a warning. */
    attempt(purpose: string, work: (journal: Journal) => Promise<void>): Promise<void>
  }
  readonly owner: Owner
  /** Whether the client masks this text in responses. Undefined if the account has no key. */
  readonly containsSecret?: ((text: string) => boolean) | undefined
  /** The service's time, by its last response. */
  serviceNow(): number
  /** Of the orders that it has read. */
  readonly seenCards: SeenCards
  onOvercharge(overcharge: Overcharge): void
}

export type Progress = {
  readonly onSending?: () => void
  /** Called if the response was not a valid success, before `settle` asks for the order repeatedly. */
  readonly onSettling?: (reason: string) => void
}
