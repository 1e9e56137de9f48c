// Merges the calls that two journals know of the same order.
import type { Row } from '../database/database.ts'
import { type Call, isOpen, isUnproven } from '../entry.ts'
import { fromRow } from '../row.ts'

export type MergedCalls = {
  /** All calls as they are after the merge. */
  readonly all: readonly Row[]
  /** Calls that the target does not have. */
  readonly inserts: readonly Row[]
  /** Calls of the target that change. */
  readonly updates: readonly Row[]
  /** Whether the target knows a confirm that the source does not know. */
  readonly hasOwnConfirm: boolean
  /** An open confirm of the source waits until that of the target is settled: an order has only one. */
  readonly isPostponed: boolean
}

/** `confirmedAt` settles all calls whose outcome is not proven. Undefined if the order is not confirmed. */
export const mergeCalls = (
  target: readonly Row[],
  source: readonly Row[],
  confirmedAt: unknown,
): MergedCalls => {
  const settle = (call: Row): Row =>
    confirmedAt !== undefined && isUnproven(fromRow<Call>(call))
      ? { ...call, settled: 'took-effect', settled_at: confirmedAt }
      : call
  const unmatched = Map.groupBy(source, keyOf)
  const own: Row[] = []
  const kept = target.map((ours) => {
    const theirs = unmatched.get(keyOf(ours))?.shift()
    if (theirs === undefined) own.push(ours)
    return settle(theirs === undefined ? ours : mergeCall(ours, theirs))
  })
  const added = [...unmatched.values()].flat().map(settle)
  const isBlocked = kept.some(isOpenConfirm)
  const inserts = added.filter((call) => !(isBlocked && isOpenConfirm(call)))
  return {
    all: [...kept, ...inserts],
    inserts,
    updates: kept.filter((call, index) => call !== target[index]),
    hasOwnConfirm: own.some(({ operation }) => operation === 'confirm'),
    isPostponed: inserts.length < added.length,
  }
}

/** These never change. */
const keyOf = ({ operation, started_at, until }: Row): string => `${operation} ${started_at} ${until}`

const isOpenConfirm = (row: Row): boolean => row.operation === 'confirm' && isOpen(fromRow<Call>(row))

const mergeCall = (ours: Row, theirs: Row): Row => {
  const isAnswered = ours.outcome === 'sending' && theirs.outcome !== 'sending'
  // That money was spent is known for certain. The contrary may have been decided by hand.
  const isSettled =
    theirs.settled !== null &&
    (ours.settled === null || (theirs.settled === 'took-effect' && ours.settled !== 'took-effect'))
  if (!isAnswered && !isSettled) return ours
  const { outcome, answered_at, status, refusal, settled, settled_at, settled_by, reason } = theirs
  return {
    ...ours,
    ...(isAnswered ? { outcome, answered_at, status, refusal } : {}),
    ...(isSettled ? { settled, settled_at, settled_by, reason } : {}),
  }
}
