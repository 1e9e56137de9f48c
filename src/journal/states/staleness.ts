// How old the journal's knowledge of an order is.
import { type Entry, isFinished } from '../entry.ts'

type Known = Pick<Entry, 'state' | 'changedAt' | 'seenAt'>

const staleMs = 3_600_000
/** An answer that shows the same state is recorded only if the last record is older: a watch reads every few seconds. */
const recordMs = 300_000

/** When the journal last learnt the state. */
export const findSeenTime = ({ changedAt, seenAt = changedAt }: Known): number => Math.max(changedAt, seenAt)

/** Whether the order may have changed since. */
export const isStale = (known: Known, now: number): boolean =>
  !isFinished(known.state) && now - findSeenTime(known) > staleMs

export const isSeenAgain = (known: Known, at: number): boolean =>
  !isFinished(known.state) && at - findSeenTime(known) >= recordMs
