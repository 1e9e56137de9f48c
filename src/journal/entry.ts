// An order as the journal knows it, and the calls that were made for it.
import type { AccountId } from '../contract/account-id.ts'

/** Who orders: the profile and the address in use, and the account that they lead to. */
export type Owner = {
  readonly profile: string
  /** The service's base URL; `sandbox:` in process. */
  readonly origin: string
  readonly account: AccountId
}

/** The states that only the journal knows, beside the service's own. */
export const ownStandings = {
  /** A confirm was sent, and its outcome is unknown. */
  unknown: 'unknown',
  /** The answer to create is awaited, or was lost. Such an order has no id, so it cannot spend. */
  unanswered: 'unanswered',
  /** It was not confirmed in time, which is proven. */
  expired: 'expired',
  refused: 'refused',
  notSent: 'not-sent',
} as const

/** An order in one of these does not hold its reference. */
export const voidStandings: readonly string[] = [
  'failed',
  'rejected',
  ownStandings.unanswered,
  ownStandings.refused,
  ownStandings.notSent,
  ownStandings.expired,
]
export const isVoid = (standing: string): boolean => voidStandings.includes(standing)

/** An order in one of these is not expected to change. */
export const overStandings: readonly string[] = ['successful', 'partial', ...voidStandings]
export const isOver = (standing: string): boolean => overStandings.includes(standing)

export type Entry = Pick<Owner, 'profile' | 'origin'> & {
  readonly number: number
  /** The number of its account. */
  readonly account: number
  readonly standing: string
  readonly reference?: string
  readonly orderId?: string
  /** 1 if the reference was used on purpose although another order had it. */
  readonly duplicate?: number
  /** The request of the create, without its webhook. */
  readonly request?: string
  readonly wallet?: string
  readonly total?: string
  readonly placedAt: number
  readonly changedAt: number
  /** Since when it is known to be confirmed. No later answer takes that back. */
  readonly confirmedAt?: number
  /** By the service's clock. */
  readonly createdAt?: number
  /** By the service's clock. */
  readonly expiresAt?: number
  /** By the service's clock: the first `get` later than the expiry and its margin that showed it unconfirmed. */
  readonly unconfirmedAt?: number
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
  /** Who settled it by hand, and why. */
  readonly settledBy?: string
  readonly reason?: string
  /** The differences to the placed order that were accepted before it was sent, as JSON. */
  readonly accepted?: string
}

/** What became of a call that had no certain outcome. */
export type Settlement = 'took-effect' | 'no-effect' | 'expired'

/** The answer is awaited, or was lost. */
export const isOpen = ({ outcome, settled }: Call): boolean =>
  (outcome === 'sending' || outcome === 'unknown') && settled === undefined

/** A confirm that may have spent, or may spend yet: a refusal proves nothing. */
export const isUnproven = (call: Call): boolean =>
  call.operation === 'confirm' && (isOpen(call) || (call.outcome === 'refused' && call.settled === undefined))
