// What orderctl knows about an order: its standing. It alone decides whether a reference is free, a slot is bought, a
// budget is charged or an order is listed. apply.ts derives it; it never comes from a response.

import { hideHash } from '../../contract/state-words.ts'
import { isKnownState, pendingState } from '../../contract/states.ts'

export const standings = ['creating', 'void', 'pending', 'confirming', 'doubtful', 'confirmed'] as const
export type Standing = (typeof standings)[number]

/**
 * Why an order is void. `lost`: create gave no response with an id. `stranger`: the service shows a different order
 * under its id. `unwanted`: the batch buys its cards with a different order. `not-spent`: a person decided so.
 */
export const voidReasons = [
  'not-sent',
  'refused',
  'lost',
  'stranger',
  'unwanted',
  'expired',
  'not-spent',
] as const
export type VoidReason = (typeof voidReasons)[number]

/** The documented final states. A later one in this list replaces an earlier one. */
const finalStates = [['failed', 'rejected'], ['partial'], ['successful']] as const
export const results = finalStates.flat()
export type Result = (typeof results)[number]

const findRank = (state: string): number =>
  finalStates.findIndex((names) => (names as readonly string[]).includes(state))

/** A response with this state is older than the known result: it may show no cards although they were delivered. */
export const isOlder = (state: string, known: Result | undefined): boolean =>
  findRank(state) < findRank(known ?? '')

/** The service may deliver an order that had failed. It never takes back a delivered card. */
export const findResult = (known: Result | undefined, state: string): Result | undefined =>
  findRank(state) > findRank(known ?? '') ? (state as Result) : known

/** Holds the reference and the slot. An order without an id cannot spend. */
export const isHolding = ({ standing }: { readonly standing: Standing }): boolean =>
  standing !== 'creating' && standing !== 'void'
export const holdingCondition = "standing NOT IN ('creating', 'void')"

/** May still become the purchase of its slot. Excludes, so that a damaged standing counts. */
export const liveCondition = "standing NOT IN ('void', 'confirmed')"

/** The order was created, or may have been: an attempt that the service refused or never received was not. */
export const isNeverCreated = ({ voidReason }: { readonly voidReason?: VoidReason }): boolean =>
  voidReason === 'refused' || voidReason === 'not-sent'
export const attemptCondition = "void_reason IN ('refused', 'not-sent')"
/** Includes an order whose standing is damaged. */
export const createdCondition = "coalesce(void_reason, '') NOT IN ('refused', 'not-sent')"

type Known = { readonly standing: Standing; readonly result?: Result }

/** The order is not expected to change. */
export const isFinished = ({ standing, result }: Known): boolean =>
  !isHolding({ standing }) || result !== undefined
export const unfinishedCondition = `${holdingCondition} AND result IS NULL`

type Decided = { readonly decision?: 'spent' | 'refuted' | 'reported' }

/** Reconcile checks the order, or reports the wrong decision about it. */
export const isUnsettled = (order: Known & Decided): boolean =>
  !isFinished(order) || order.decision === 'refuted'
export const unsettledCondition = `(${unfinishedCondition} OR decision = 'refuted')`

/** The order is paid, although a person settled it as not spent. */
export const isRefuted = ({ decision }: Decided): boolean => decision === 'refuted' || decision === 'reported'
export const refutedCondition = "decision IN ('refuted', 'reported')"

/** A confirm may have spent or may still spend. A refusal does not prove the contrary. */
export const isUnprovenOrder = ({ standing }: { readonly standing: Standing }): boolean =>
  standing === 'confirming' || standing === 'doubtful'

/** A confirm has spent, or may have spent. */
export const mayHaveSpent = (order: { readonly standing: Standing }): boolean =>
  order.standing === 'confirmed' || isUnprovenOrder(order)

/** Counts against caps and budgets: the order is, or may be, confirmed. A damaged standing counts as spent. */
export const committedCondition = "coalesce(standing, '') NOT IN ('creating', 'void', 'pending')"
/** For people: a refused confirm has spent nothing so far. */
export const spentCondition = `${committedCondition} AND standing IS DISTINCT FROM 'doubtful'`
/** See isUnprovenOrder. */
export const unprovenCondition = "coalesce(standing, '') NOT IN ('creating', 'void', 'pending', 'confirmed')"
/** The outcome of a confirm is unknown. */
export const unknownCondition = `${unprovenCondition} AND standing IS DISTINCT FROM 'doubtful'`

/**
 * When the order was charged, for reports. A confirm is sent between the creation and the expiry of the order. If
 * reserved_at is not between them, the clock of the machine was wrong, and the creation by the service's clock counts.
 */
export const chargedAt = `CASE WHEN reserved_at BETWEEN created_at AND expires_at THEN reserved_at
  ELSE coalesce(created_at, reserved_at) END`
export const chargedCondition = `reserved_at IS NOT NULL AND ${chargedAt} >= $from AND ${chargedAt} < $until`

/** See isOpen. */
export const openCondition = "settled IS NULL AND outcome IN ('sending', 'unknown')"

/** The words that screens show for an order: a closed list. The database computes the column `state` from them. */
export const shownState = `CASE standing WHEN 'creating' THEN 'creating' WHEN 'void' THEN void_reason
  WHEN 'confirming' THEN 'unknown' WHEN 'confirmed' THEN
    coalesce(result, CASE service_state WHEN 'processing' THEN 'processing' ELSE 'confirmed' END)
  ELSE 'created' END`
export const journalStates: readonly string[] = ['creating', 'unknown', ...voidReasons]

/** The service's last word, if its documentation does not include it. */
export const findUndocumented = ({
  serviceState,
}: {
  readonly serviceState?: string | undefined
}): string | undefined =>
  serviceState === undefined || isKnownState(serviceState) ? undefined : hideHash(serviceState)

/** The service's word for a new order, which has none in the journal. */
export const initialState: string = pendingState

type Dated = Known & {
  readonly changedAt: number
  readonly seenAt?: number
}

const staleMs = 3_600_000
/** An unchanged response is recorded only if the last record is older, because a watch reads every few seconds. */
const recordMs = 300_000

/** When the journal last recorded the state. */
export const findSeenTime = ({ changedAt, seenAt = changedAt }: Pick<Dated, 'changedAt' | 'seenAt'>) =>
  Math.max(changedAt, seenAt)

/** Whether the order may have changed since. */
export const isStale = (known: Dated, now: number): boolean =>
  !isFinished(known) && now - findSeenTime(known) > staleMs

export const isSeenAgain = (known: Dated, at: number): boolean =>
  !isFinished(known) && at - findSeenTime(known) >= recordMs
