// What orderctl knows about an order: its standing. It alone decides whether a reference is free, a slot is bought, a
// budget is charged or an order is listed. apply.ts derives it; it never comes from a response. One table,
// `flags`, has the rules about standings. The functions below read it, and SQL tests the columns that the database computes
// from it. SQL tests a standing itself only if it means that one alone, as in `standing = 'confirmed'`.

import { hideHash, isKnownState, pendingState } from '../../contract/states.ts'

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
export type Result = (typeof results)[number]

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
