// An order in the journal, and the calls that were made for it.
import type { AccountId } from '../contract/account-id.ts'

/** The profile and address in use, and the account that they lead to. */
export type Owner = {
  readonly profile: string
  /** The service's base URL; `sandbox:` for the embedded service. */
  readonly origin: string
  readonly account: AccountId
}

/** The states that the journal adds to those of the service. */
export const journalOnlyStates = {
  /** A confirm was sent, and its outcome is unknown. */
  unknown: 'unknown',
  /** The answer to create is pending or was lost. The order has no id, so it cannot spend. */
  unanswered: 'unanswered',
  /** It is proven that the order was not confirmed in time. */
  expired: 'expired',
  refused: 'refused',
  notSent: 'not-sent',
} as const

/** The service has no order with one of these states. */
export const neverCreatedStates: readonly string[] = [journalOnlyStates.refused, journalOnlyStates.notSent]
export const isNeverCreated = (state: string): boolean => neverCreatedStates.includes(state)

/** An order in one of these states does not hold its reference. */
export const voidStates: readonly string[] = [
  'failed',
  'rejected',
  journalOnlyStates.unanswered,
  ...neverCreatedStates,
  journalOnlyStates.expired,
]
export const isVoid = (state: string): boolean => voidStates.includes(state)

/** An order in one of these states is not expected to change. */
export const finishedStates: readonly string[] = ['successful', 'partial', ...voidStates]
export const isFinished = (state: string): boolean => finishedStates.includes(state)

export type Entry = Pick<Owner, 'profile' | 'origin'> & {
  readonly number: number
  /** The number of its account. */
  readonly account: number
  readonly state: string
  readonly reference?: string
  readonly orderId?: string
  /** 1 if the order was created with --allow-duplicate. */
  readonly duplicate?: number
  /** The request of the create, without its webhook. */
  readonly request?: string
  readonly wallet?: string
  readonly total?: string
  /** The total of the last invoice after the confirmation, if it differs from `total`. */
  readonly charged?: string
  /** See formatProducts. Absent if the order was created elsewhere and not read yet. */
  readonly products?: string
  /** The number of cards that the order buys. */
  readonly cards?: number
  /** The number of cards that were delivered. Absent until the order is final. */
  readonly delivered?: number
  readonly placedAt: number
  readonly changedAt: number
  /** When the service last showed the state again. */
  readonly seenAt?: number
  /** The time from which the order is known to be confirmed. It is never reset. */
  readonly confirmedAt?: number
  /** By the service's clock. */
  readonly createdAt?: number
  /** By the service's clock. */
  readonly expiresAt?: number
  /** By the service's clock: the first `get` after the expiry and its margin that showed the order unconfirmed. */
  readonly unconfirmedAt?: number
  /** The batch and the slot in it that the order buys. */
  readonly batch?: number
  readonly slot?: number
  /** The number of who placed it. */
  readonly actor?: number
}

export type Call = {
  readonly number: number
  readonly orderNumber: number
  readonly operation: 'create' | 'confirm'
  readonly outcome: 'sending' | 'not-sent' | 'refused' | 'done' | 'unknown'
  readonly settled?: Settlement
  readonly status?: number
  readonly refusal?: string
  readonly startedAt: number
  /** The deadline of the call. */
  readonly until: number
  readonly answeredAt?: number
  readonly settledAt?: number
  /** The user who settled the call by hand. */
  readonly settledBy?: string
  readonly reason?: string
  /** The differences to the placed order that the user accepted, as JSON. */
  readonly accepted?: string
  /** The number of who made the call. */
  readonly actor?: number
  /** The profile that the call was made with. */
  readonly profileName?: string
}

/** The proven result of a call whose outcome was not certain. */
export type Settlement = 'took-effect' | 'no-effect' | 'expired'

/** The answer is pending or was lost. */
export const isOpen = ({ outcome, settled }: Call): boolean =>
  (outcome === 'sending' || outcome === 'unknown') && settled === undefined

/** A confirm that may have spent or may still spend. A refusal does not prove the contrary. */
export const isUnproven = (call: Call): boolean =>
  call.operation === 'confirm' && (isOpen(call) || (call.outcome === 'refused' && call.settled === undefined))

/** How long a create without an answer reserves its reference. */
const pendingCreateMs = 60_000

/** The end of that time. */
export const findCreateEnd = ({ startedAt, until }: Call): number =>
  Math.min(until, startedAt + pendingCreateMs)

/** An intent is older than its transaction, which may have waited for another process. */
const maxIntentAgeMs = 60_000

/** False if the clock was ahead when the call was made, or was set back since. */
export const wasStarted = ({ startedAt }: Call, at: number): boolean => startedAt < at + maxIntentAgeMs

/** A create that another process may still be waiting for. */
export const isPendingCreate = (call: Call, at: number): boolean =>
  call.operation === 'create' &&
  call.outcome === 'sending' &&
  wasStarted(call, at) &&
  at < findCreateEnd(call)
