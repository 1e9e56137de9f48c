// What orderctl knows about an order: its standing. It alone decides whether a reference is free, a slot is bought, a
// budget is charged or an order is listed. It changes only here, along one table. The standing never comes from a
// response.

import { hideHash } from '../../contract/state-words.ts'
import { isKnownState, pendingState } from '../../contract/states.ts'
import type { WriteAccess } from '../access.ts'
import type { Values } from '../database/database.ts'

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

/** See isUnproven. */
const unprovenCall = `operation = 'confirm' AND (${openCondition} OR (settled IS NULL AND outcome = 'refused'))`
const hasUnproven = `EXISTS (SELECT 1 FROM calls WHERE order_number = orders.number AND ${unprovenCall})`

/** A person may also decide that a confirm had no effect although it seemed to. */
const undecidedCondition = `operation = 'confirm' AND outcome <> 'not-sent'
  AND coalesce(settled, 'took-effect') = 'took-effect'`

/** A decision is recorded with the confirms that it is about. */
const hasDecidable = `EXISTS (SELECT 1 FROM calls WHERE order_number = orders.number
  AND operation = 'confirm' AND outcome <> 'not-sent' AND coalesce(settled, '') <> 'expired')`

/** The late end of an earlier confirm proves nothing about the one in progress. */
const hasNoneOpen = `NOT EXISTS (SELECT 1 FROM calls WHERE order_number = orders.number
  AND operation = 'confirm' AND ${openCondition})`

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

type Transition = {
  readonly from: readonly Standing[]
  /** SQL: the columns before the change. */
  readonly to: string
  readonly where?: string
  /** `$now` is the database's time. */
  readonly sets?: string
  /** What it proves about all confirms whose outcome was not certain. */
  readonly settles?: 'took-effect' | 'no-effect' | 'expired'
}

const paid =
  'void_reason = NULL, confirmed_at = coalesce(confirmed_at, $at), reserved_at = coalesce(reserved_at, $now)'

/**
 * The evidence, and what follows from it. The rules are those of docs/safety.md. An order is inserted as `creating`, or
 * as `pending` if it was created elsewhere. Only a person's decision leads away from `confirmed`.
 */
const transitions = {
  // An order without an id cannot be confirmed, so its reference is free: not sent, refused, or lost past its deadline.
  'not-created': { from: ['creating'], to: "'void'", sets: 'void_reason = $reason' },
  // A response with an id, even if it was spooled: only this gives an order its id. A void order stays void, because
  // its reference may be in use again.
  created: {
    from: ['creating', 'void'],
    to: "CASE standing WHEN 'creating' THEN 'pending' ELSE 'void' END",
    where: 'order_id IS NULL',
  },
  // `get` shows a different order under its id: after a repeated response to create, or after a reset of the service.
  stranger: { from: ['pending'], to: "'void'", sets: "void_reason = 'stranger'" },
  // Its slot wants other cards: they were moved to a different slot, or given up, while the order was created.
  unwanted: { from: ['pending'], to: "'void'", sets: "void_reason = 'unwanted'" },
  // The intent to confirm is on disk before the first byte. It makes earlier sightings of a proof worthless.
  'confirm-begun': {
    from: ['pending', 'doubtful', 'void'],
    to: "'confirming'",
    sets: 'unconfirmed_at = NULL, unconfirmed_here = NULL, confirms = confirms + 1',
  },
  // No byte left this machine, which is proof for this confirm only.
  'confirm-not-sent': {
    from: ['confirming'],
    where: hasNoneOpen,
    to: `CASE WHEN ${hasUnproven} THEN 'doubtful' WHEN void_reason IS NULL THEN 'pending' ELSE 'void' END`,
    sets: `reserved_at = CASE WHEN ${hasUnproven} THEN reserved_at END`,
  },
  // A status that refuses before acting, and then `get` showed the order unconfirmed. That is no proof.
  'confirm-refused': {
    from: ['confirming'],
    where: hasNoneOpen,
    to: "'doubtful'",
    sets: 'void_reason = NULL',
  },
  // It expired, and every confirm is proven to have spent nothing: two `get` after the expiry and after the last intent.
  expired: {
    from: ['pending', 'confirming', 'doubtful'],
    to: "'void'",
    sets: "void_reason = 'expired', reserved_at = NULL",
    settles: 'expired',
  },
  // A person settled it. The decision is recorded with the calls. A 'confirmed' can be wrong only if a person decided it, or
  // if no `get` ever showed the reference of the order under its id.
  'not-spent': {
    from: ['pending', 'confirming', 'doubtful', 'confirmed'],
    to: "'void'",
    where: `(standing <> 'confirmed' OR decision = 'spent' OR (reference_shown = 0 AND ${hasDecidable}))`,
    sets: `void_reason = 'not-spent', reserved_at = NULL, confirmed_at = NULL, result = NULL, charged = NULL,
      overcharged = NULL, decision = NULL`,
    settles: 'no-effect',
  },
  // A person settled it.
  spent: {
    from: ['creating', 'void', 'pending', 'confirming', 'doubtful'],
    to: "'confirmed'",
    where: 'order_id IS NOT NULL',
    sets: `${paid}, decision = 'spent'`,
    settles: 'took-effect',
  },
  // A valid success of confirm, or a response that proves the payment. It may prove what a person decided, or the contrary.
  confirmed: {
    from: ['creating', 'void', 'pending', 'confirming', 'doubtful', 'confirmed'],
    to: "'confirmed'",
    where: "order_id IS NOT NULL AND (standing <> 'confirmed' OR decision = 'spent')",
    sets: `${paid}, decision = CASE WHEN standing = 'void' AND void_reason = 'not-spent' THEN 'refuted' END`,
    settles: 'took-effect',
  },
} satisfies Record<string, Transition>

export type Evidence = keyof typeof transitions

export type Move = {
  readonly at: number
  /** For `not-created`. */
  readonly reason?: VoidReason
  readonly decision?: { readonly by: string; readonly reason: string } | undefined
  /** For `confirmed` and `spent`: when the confirm was recorded. Default: now. */
  readonly reservedAt?: number
  /** Further columns that change with the standing, and their values. */
  readonly sets?: string
  readonly values?: Values
}

/** Does nothing if the evidence does not concern an order with this standing. The caller has locked the order. */
export const moveOrder = async (
  { run, dialect }: WriteAccess,
  order: number,
  evidence: Evidence,
  { at, reason, decision, reservedAt, ...more }: Move,
): Promise<void> => {
  const { from, to, where = 'TRUE', sets, settles }: Transition = transitions[evidence]
  const assignments = [`standing = ${to}`, 'changed_at = $at', sets, more.sets].filter(
    (each) => each !== undefined,
  )
  const moves = `number = $order AND standing IN (${from.map((each) => `'${each}'`).join(', ')}) AND ${where}`
  // Settled first: a trigger admits a move away from 'confirmed' only with the recorded decision.
  const settle =
    settles === undefined
      ? undefined
      : run(
          `UPDATE calls SET settled = '${settles}', settled_at = $at, settled_by = $by, reason = $reason
           WHERE order_number = $order AND ${settles === 'no-effect' ? undecidedCondition : unprovenCall}
             AND EXISTS (SELECT 1 FROM orders WHERE number = $order AND (standing = ${to} OR ${moves}))`,
          { order, at, by: decision?.by ?? null, reason: decision?.reason ?? null },
        )
  const move = run(
    `UPDATE orders SET ${assignments.join(', ').replaceAll('$now', reservedAt?.toString() ?? dialect.now)}
     WHERE ${moves}`,
    { ...more.values, order, at, ...(reason === undefined ? {} : { reason }) },
  )
  await Promise.all([settle, move])
}
