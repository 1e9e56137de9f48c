// What orderctl knows about an order: its standing. It alone decides whether a reference is free, a slot is bought, a budget
// is charged or an order is listed. apply.ts derives it; no word of the service becomes a standing. One table, `flags`, has
// the rules about standings. The functions below read it, and SQL tests the columns that the database computes from it. SQL
// tests a standing itself only if it means that one alone, as in `standing = 'confirmed'`.
// Then when a call is open, when an order expires, for people and for the proof that its confirms spent nothing, and what
// that proof needs. These times are the service's, unless a comment says otherwise.

import { orderLimits } from '../../contract/limits.ts'
import { hideHash, isKnownState, pendingState } from '../../contract/states.ts'
import { dayMs, endOfDates } from '../../contract/time.ts'

export const standings = ['creating', 'void', 'pending', 'confirming', 'doubtful', 'confirmed'] as const
export type Standing = (typeof standings)[number]

/**
 * `holds`: the reference and the slot. An order without an id cannot spend. `live`: may still become the purchase of
 * its slot. `committed`: a confirm has spent, or may have spent, so the order counts against caps and budgets.
 * `unproven`: a confirm may have spent or may still spend. A refusal does not prove the contrary.
 */
type Flag = 'holds' | 'live' | 'committed' | 'unproven'

const flags: Readonly<Record<Standing, readonly Flag[]>> = {
  creating: ['live'],
  void: [],
  pending: ['holds', 'live'],
  confirming: ['holds', 'live', 'committed', 'unproven'],
  doubtful: ['holds', 'live', 'committed', 'unproven'],
  confirmed: ['holds', 'committed'],
}

type InStanding = { readonly standing: Standing }

export const isHolding = ({ standing }: InStanding): boolean => flags[standing].includes('holds')
export const mayHaveSpent = ({ standing }: InStanding): boolean => flags[standing].includes('committed')
export const isUnprovenOrder = ({ standing }: InStanding): boolean => flags[standing].includes('unproven')

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
type Result = (typeof results)[number]

const findRank = (state: string): number =>
  finalStates.findIndex((names) => (names as readonly string[]).includes(state))

/** A response with this state is older than the known result: it may show no cards although they were delivered. */
export const isOlder = (state: string, known: Result | undefined): boolean =>
  findRank(state) < findRank(known ?? '')

/** The service may deliver an order that had failed. It never takes back a delivered card. */
export const findResult = (known: Result | undefined, state: string): Result | undefined =>
  findRank(state) > findRank(known ?? '') ? (state as Result) : known

const neverCreated: readonly string[] = ['refused', 'not-sent'] satisfies VoidReason[]

/** Only an attempt: the service refused the order or never received it. */
export const isNeverCreated = ({ voidReason }: { readonly voidReason?: VoidReason }): boolean =>
  neverCreated.includes(voidReason ?? '')

type StandingAndResult = InStanding & { readonly result?: Result }

/** The order is not expected to change. */
export const isFinished = (order: StandingAndResult): boolean =>
  !isHolding(order) || order.result !== undefined

/** All its products succeeded, as the service says. */
export const hasSucceeded = ({ result }: Pick<StandingAndResult, 'result'>): boolean =>
  result === 'successful'

/** SQL: the column is one of the words. With IN, SQLite would build a list for each row. */
const isAny = (column: string, words: readonly string[]): string =>
  `coalesce(${words.map((word) => `${column} = '${word}'`).join(' OR ')}, FALSE)`

/** Excludes the other standings, so that a damaged standing has every flag. */
const hasFlag = (flag: Flag): string => {
  const others = standings.filter((standing) => !flags[standing].includes(flag))
  return `NOT ${isAny('standing', others)}`
}

/** SQL: what queries test instead of standings. */
export const orderConditions = {
  holds: hasFlag('holds'),
  live: hasFlag('live'),
  committed: hasFlag('committed'),
  unproven: hasFlag('unproven'),
  /** See isFinished. */
  finished: `NOT (${hasFlag('holds')}) OR ${isAny('result', results)}`,
  /** See isNeverCreated. */
  attempt: isAny('void_reason', neverCreated),
}

type WithDecision = { readonly decision?: 'spent' | 'refuted' | 'reported' }

/** Reconcile checks the order, or reports the wrong decision about it. */
export const isUnsettled = (order: StandingAndResult & WithDecision): boolean =>
  !isFinished(order) || order.decision === 'refuted'
export const unsettledCondition = "(NOT finished OR decision = 'refuted')"

/** The order is paid, although a person settled it as not spent. */
export const isRefuted = ({ decision }: WithDecision): boolean =>
  decision === 'refuted' || decision === 'reported'
export const refutedCondition = "decision IN ('refuted', 'reported')"

/** For people: a refused confirm has spent nothing so far. */
export const spentCondition = "committed AND standing IS DISTINCT FROM 'doubtful'"
/** The outcome of a confirm is unknown. */
export const unknownCondition = "unproven AND standing IS DISTINCT FROM 'doubtful'"

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
export const findUndocumented = ({ serviceState }: { readonly serviceState?: string | undefined }) =>
  serviceState === undefined || isKnownState(serviceState) ? undefined : hideHash(serviceState)

/** The service's word for a new order, which has none in the journal. */
export const initialState: string = pendingState

/** Of a call (entries.ts), which has the same fields. */
type CallFacts = {
  readonly operation: 'create' | 'confirm'
  readonly outcome: string
  readonly settled?: string
  readonly startedAt: number
  /** Its deadline. */
  readonly until: number
  /** The service's last word before a confirm. */
  readonly serviceState?: string
}

/** The response is pending or was lost. */
export const isOpen = ({ outcome, settled }: CallFacts): boolean =>
  (outcome === 'sending' || outcome === 'unknown') && settled === undefined

/** A confirm that may have spent or may still spend. A refusal does not prove the contrary. */
export const isUnproven = (call: CallFacts): boolean =>
  call.operation === 'confirm' && (isOpen(call) || (call.outcome === 'refused' && call.settled === undefined))

/** How long a create without a response reserves its reference. */
const pendingCreateMs = 60_000

/** The end of that time. */
export const findCreateEnd = ({ startedAt, until }: CallFacts): number =>
  Math.min(until, startedAt + pendingCreateMs)

/** An intent is older than its transaction, which may have waited for a different process. No older intent is sent. */
export const maxIntentAgeMs = 60_000

/** False if the clock was ahead when the call was made, or was set back since. */
export const wasStarted = ({ startedAt }: CallFacts, at: number): boolean => startedAt < at + maxIntentAgeMs

/** A create that a different process may still be waiting for. */
export const isPendingCreate = (call: CallFacts, at: number): boolean =>
  call.operation === 'create' &&
  call.outcome === 'sending' &&
  wasStarted(call, at) &&
  at < findCreateEnd(call)

type RecordTimes = StandingAndResult & {
  readonly changedAt: number
  readonly seenAt?: number
}

const staleMs = 3_600_000
/** An unchanged response is recorded only if the last record is older, because a watch reads every few seconds. */
const recordMs = 300_000

/** When the journal last recorded the state. */
export const findSeenTime = ({ changedAt, seenAt = changedAt }: Pick<RecordTimes, 'changedAt' | 'seenAt'>) =>
  Math.max(changedAt, seenAt)

/** Whether the order may have changed since. */
export const isStale = (known: RecordTimes, now: number): boolean =>
  !isFinished(known) && now - findSeenTime(known) > staleMs

export const isSeenAgain = (known: RecordTimes, at: number): boolean =>
  !isFinished(known) && at - findSeenTime(known) >= recordMs

/** 1.5 times the documented validity (order-service.md 4.1), to be safe. */
const assumedValidityMs = orderLimits.validityMs * 1.5
/** For a proof, if the service did not say how long the order is valid. */
const longestValidityMs = dayMs

/** Of an order (entries.ts). `request` is missing if it was created elsewhere. */
export type OrderDates = {
  readonly placedAt: number
  readonly createdAt?: number
  readonly createdDate?: number
  readonly expiresAt?: number
  readonly request?: string
}

/** `now` is by the journal's clock. `serviceNow` is undefined if no response had a `Date`. */
export type Times = { readonly now: number; readonly serviceNow: number | undefined }

const isPlausible = (expiresAt: number | undefined, createdAt: number): expiresAt is number =>
  expiresAt !== undefined && expiresAt > createdAt && expiresAt < endOfDates

/** For people. Undefined if the service did not give the time with its response to create. */
export const findExpiry = ({
  createdAt,
  createdDate,
  expiresAt,
  request,
}: OrderDates): number | undefined => {
  // An order that was created elsewhere has no response to create.
  const start = request === undefined ? createdDate : createdAt
  if (start === undefined) return undefined
  return request !== undefined && isPlausible(expiresAt, start) ? expiresAt : start + assumedValidityMs
}

/** The `Date` header has a resolution of one second. */
const marginMs = 2_000

/** The longest time from the intent to create to its response, by default. */
const responseMs = 45_000

/** For people. Without the service's time, by the journal's clock. */
export const hasExpired = (order: OrderDates, { now, serviceNow }: Times): boolean => {
  const expiry = findExpiry(order)
  const { placedAt, createdAt } = order
  if (expiry !== undefined && serviceNow !== undefined) return serviceNow > expiry + marginMs
  const validityMs = expiry === undefined || createdAt === undefined ? assumedValidityMs : expiry - createdAt
  return now > placedAt + validityMs + responseMs
}

/** For proofs. Undefined if no response had a `Date`, so that nothing can be proven. */
const findLastMoment = ({ createdAt, createdDate, expiresAt, request }: OrderDates): number | undefined => {
  if (createdAt === undefined) return undefined
  const date = createdDate ?? createdAt
  if (request === undefined) return Math.max(createdAt, date) + longestValidityMs
  if (!isPlausible(expiresAt, createdAt)) return createdAt + longestValidityMs
  // The clock behind `createdDate` and `expiresAt` may be slower than the clock behind `Date`.
  return expiresAt + Math.max(0, createdAt - date)
}

/** Whether a `get` with this state, sent after the last confirm, counts in a proof that no confirm took effect. */
export const countsAsUnconfirmed = (
  { state }: { readonly state: string },
  { entry, calls }: { readonly entry: InStanding; readonly calls: readonly CallFacts[] },
): boolean =>
  isUnprovenOrder(entry) &&
  (state === pendingState ||
    calls.filter(isUnproven).every(({ serviceState = pendingState }) => serviceState === state))

/** The response to a request that is in progress at the expiry has arrived after this time. */
const graceMs = 60_000

/** The minimum distance between the two responses of a proof. */
const apartMs = 60_000

type Unproven = OrderDates & { readonly unconfirmedAt?: number; readonly unconfirmedHere?: number }

/**
 * When the second of two responses can be a proof, by the clock here: a front-end server's `Date` may run ahead, so as much
 * time must have passed here, too. If the clock was set back since the order was placed, that time begins with the first.
 */
const findSecondTime = ({ placedAt, unconfirmedHere }: Unproven, validMs: number, now: number): number => {
  const first = Math.min(now, unconfirmedHere ?? now)
  return now < placedAt ? first + Math.max(validMs, apartMs) : Math.max(first, placedAt + validMs) + apartMs
}

/**
 * A `get` that was fresh shows the order unconfirmed now; `unconfirmedAt` is when an earlier `get` did so. 'first':
 * this `get` is the first of two.
 */
export const judgeUnconfirmed = (
  order: Unproven,
  { now, serviceNow }: Times & { readonly serviceNow: number },
): 'too-early' | 'first' | 'proven' => {
  const lastMoment = findLastMoment(order)
  if (lastMoment === undefined || serviceNow <= lastMoment + graceMs) return 'too-early'
  const { createdAt = lastMoment, placedAt, unconfirmedAt, unconfirmedHere } = order
  const validMs = lastMoment - createdAt
  if (placedAt <= now && now < placedAt + validMs) return 'too-early'
  const isKnown = unconfirmedAt !== undefined && unconfirmedHere !== undefined
  // If one of the clocks was set back since then, that `get` counts no more.
  if (!isKnown || unconfirmedAt > serviceNow || unconfirmedHere > now) return 'first'
  const isApart = serviceNow - unconfirmedAt >= apartMs && now >= findSecondTime(order, validMs, now)
  return isApart ? 'proven' : 'too-early'
}

/** The earliest time of a proof, by the journal's clock. Undefined if only a person can settle the order. */
export const estimateProofTime = (order: Unproven, { now, serviceNow }: Times): number | undefined => {
  const lastMoment = findLastMoment(order)
  if (lastMoment === undefined || serviceNow === undefined) return undefined
  const { createdAt = lastMoment, unconfirmedAt = Math.max(lastMoment + graceMs, serviceNow) } = order
  const leftMs = Math.max(0, unconfirmedAt + apartMs - serviceNow)
  return Math.max(now + leftMs, findSecondTime(order, lastMoment - createdAt, now))
}
