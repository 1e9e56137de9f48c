// An order in the journal, and the calls that were made for it.
import type { AccountId } from '../contract/account-id.ts'
import { holdingCondition, isHolding, type Result, type Standing, type VoidReason } from './standings.ts'

/** The profile and address in use, and the account that they lead to. */
export type Owner = {
  readonly profile: string
  /** The service's base URL; `sandbox:` for the embedded service. */
  readonly origin: string
  readonly account: AccountId
}

/** The order was created, or may have been: an attempt that the service refused or never received was not. */
export const isNeverCreated = ({ voidReason }: Pick<Entry, 'voidReason'>): boolean =>
  voidReason === 'refused' || voidReason === 'not-sent'
export const attemptCondition = "void_reason IN ('refused', 'not-sent')"
/** Includes an order whose standing is damaged. */
export const createdCondition = "coalesce(void_reason, '') NOT IN ('refused', 'not-sent')"

/** The order is not expected to change. */
export const isFinished = ({ standing, result }: Pick<Entry, 'standing' | 'result'>): boolean =>
  !isHolding({ standing }) || result !== undefined
export const unfinishedCondition = `${holdingCondition} AND result IS NULL`

export type Entry = Pick<Owner, 'profile' | 'origin'> & {
  readonly number: number
  /** The number of its account. */
  readonly account: number
  readonly standing: Standing
  /** Kept while a void order is confirmed again. */
  readonly voidReason?: VoidReason
  /** The last word of the service, verbatim; absent until it differs from `created`. It is shown, and decides nothing. */
  readonly serviceState?: string
  /** The last documented final state that the service has shown. */
  readonly result?: Result
  /** The word for screens (see shownState). It decides nothing. */
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
  /** What it counts as against caps and budgets, if it was charged more than its total, or in another currency. */
  readonly counted?: string
  /** See formatProducts. Absent if the order was created elsewhere and not read yet. */
  readonly products?: string
  /** The number of cards that the order buys. */
  readonly cards?: number
  /** The number of cards that were delivered. Absent until the order is final. */
  readonly delivered?: number
  readonly placedAt: number
  readonly changedAt: number
  /** When the service last showed the same again. */
  readonly seenAt?: number
  /** The time from which the order is known to be confirmed. It is never reset. */
  readonly confirmedAt?: number
  /** By the service's clock. */
  readonly createdAt?: number
  /** By the service's clock. */
  readonly expiresAt?: number
  /** By the service's clock: the first `get` after the expiry and its margin that showed the order unconfirmed. */
  readonly unconfirmedAt?: number
  /** How often a confirm was begun. A response that was asked for before the last one proves nothing. */
  readonly confirms: number
  /** The batch and the slot in it that the order buys. */
  readonly batch?: number
  readonly slot?: number
  /** The number of who placed it. */
  readonly actor?: number
  /** The database role that recorded it in a shared journal. */
  readonly writtenBy?: string
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
  readonly respondedAt?: number
  readonly settledAt?: number
  /** The user who settled the call by hand. */
  readonly settledBy?: string
  readonly reason?: string
  /** The differences to the placed order that the user accepted, as JSON. */
  readonly accepted?: string
  /** The number of who made the call. */
  readonly actor?: number
  /** The database role that recorded it in a shared journal. */
  readonly writtenBy?: string
  /** The profile that the call was made with. */
  readonly profileName?: string
  /** For a confirm: the last word of the service when it was begun. In a proof, it counts as unconfirmed. */
  readonly serviceState?: string
}

/** The proven result of a call whose outcome was not certain. */
type Settlement = 'took-effect' | 'no-effect' | 'expired'

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
