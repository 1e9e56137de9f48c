// An order in the journal, and the calls that were made for it.
import type { AccountId } from '../../contract/account-id.ts'
import { foldReference, isSameReference } from '../../contract/order/reference.ts'
import type { calls, orders } from '../tables/orders.ts'
import type { RowOf } from '../tables/table.ts'

/** The profile and address in use, and the account that they lead to. */
export type Owner = {
  readonly profile: string
  /** The service's base URL; `sandbox:` for the embedded service. */
  readonly origin: string
  readonly account: AccountId
}

/** tables/orders.ts describes each field of these two. */
export type Entry = RowOf<typeof orders>
export type Call = RowOf<typeof calls>

/** Whether the order has this reference. A damaged reference holds the references that have its fold. */
export const hasReference = (
  { reference = '', referenceFold }: Pick<Entry, 'reference' | 'referenceFold'>,
  wanted: string,
): boolean =>
  referenceFold === undefined || referenceFold === foldReference(reference)
    ? isSameReference(reference, wanted)
    : referenceFold === foldReference(wanted)

/** The columns whose values cannot be read. Absent if there are none. */
export type Damage = { readonly damage?: readonly string[] }

/** An order and its calls. */
export type Known = { readonly entry: Entry & Damage; readonly calls: readonly Call[] }

/** A call whose intent is on disk, as the process that makes it has it. */
export type StartedCall = {
  readonly kind: 'started'
  readonly operation: Call['operation']
  /** The numbers of the order and the call. */
  readonly order: number
  readonly call: number
  readonly id: string
  readonly startedAt: number
  /** The order id, or the reference of an order without one. */
  readonly name: string
}

export const isStarted = (start: unknown): start is StartedCall =>
  (start as Partial<StartedCall> | undefined)?.kind === 'started'

/** The response is pending or was lost. */
export const isOpen = ({ outcome, settled }: Call): boolean =>
  (outcome === 'sending' || outcome === 'unknown') && settled === undefined

/** A confirm that may have spent or may still spend. A refusal does not prove the contrary. */
export const isUnproven = (call: Call): boolean =>
  call.operation === 'confirm' && (isOpen(call) || (call.outcome === 'refused' && call.settled === undefined))

/** How long a create without a response reserves its reference. */
const pendingCreateMs = 60_000

/** The end of that time. */
export const findCreateEnd = ({ startedAt, until }: Call): number =>
  Math.min(until, startedAt + pendingCreateMs)

/** An intent is older than its transaction, which may have waited for a different process. No older intent is sent. */
export const maxIntentAgeMs = 60_000

/** False if the clock was ahead when the call was made, or was set back since. */
export const wasStarted = ({ startedAt }: Call, at: number): boolean => startedAt < at + maxIntentAgeMs

/** A create that a different process may still be waiting for. */
export const isPendingCreate = (call: Call, at: number): boolean =>
  call.operation === 'create' &&
  call.outcome === 'sending' &&
  wasStarted(call, at) &&
  at < findCreateEnd(call)
