// Brings an entry of the journal to the truth, as far as it can be known now. Never spends.
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { pendingState } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { type Call, type Entry, isOpen, isOver, ownStandings } from '../journal/entry.ts'
import type { Spending } from './deps.ts'
import { readFailure } from './failure-of.ts'
import { hasLapsed } from './lapse.ts'
import { newsOf } from './news.ts'
import { interruption } from './read.ts'

export type Reconciled = {
  readonly entry: Entry
  /** What is open about it still. */
  readonly open?: Call
  /** When asking again can settle it, where that is a matter of time. */
  readonly settlesAt?: number
  /** Why the service could not be asked. */
  readonly problem?: Failure
}

/** Whoever sent a call has given up by then, and what is under way has arrived or is lost. */
const quietMs = 15_000

/** What is under way when an order expires is answered by then. */
const answeredMs = 60_000

// Spec: normally ten minutes. An order that nobody has the id of cannot be confirmed in any of them.
const unknownLapseMs = limits.validityMs * 1.5

export const reconcile = async (deps: Spending, entry: Entry): Promise<Reconciled> => {
  if (isOver(entry.standing)) return { entry }
  const { orderId } = entry
  if (orderId === undefined) return withoutId(deps, entry)
  const outcome = await deps.api.get(orderId, { signal: deps.interrupted })
  if (outcome.kind === 'done') return settlePending(deps, entry, outcome)
  const now = outcome.serverTime
  const isGone = outcome.kind === 'refused' && outcome.refusal === 'order-not-found'
  // A service may forget what was never confirmed.
  if (isGone && now !== undefined && now > (entry.expiresAt ?? Number.POSITIVE_INFINITY) + answeredMs) {
    const calls = deps.journal.callsOf(entry.number)
    if (calls.every(({ operation }) => operation === 'create')) {
      deps.journal.settle(entry, calls.find(isOpen), lapsed(deps))
      return stateOf(deps, entry)
    }
  }
  return { ...stateOf(deps, entry), problem: readFailure(outcome, { orderId }) }
}

const lapsed = ({ clock }: Pick<Spending, 'clock'>) =>
  ({ settled: 'lapsed', standsAs: ownStandings.lapsed, at: clock.now() }) as const

const atOnce = 4

/** One after another finished, a few at a time. */
export const reconcileAll = async (
  deps: Spending,
  entries: readonly Entry[],
  onDone: (reconciled: Reconciled, was: Entry) => void,
): Promise<void> => {
  const left = entries.values()
  const work = async (): Promise<void> => {
    for (const entry of left) {
      if (deps.interrupted.aborted) return
      onDone(await reconcile(deps, entry), entry)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (deps.interrupted.aborted) throw interruption(deps.interrupted, 'interrupted; what was settled is noted')
}

/** By an answer of `get`: what it says, and what time has made certain. */
export const settlePending = (
  deps: Pick<Spending, 'journal' | 'clock'>,
  entry: Entry,
  { data, serverTime }: { readonly data: Order; readonly serverTime?: number | undefined },
): Reconciled => {
  const { journal, clock } = deps
  const now = clock.now()
  journal.noteOrder(entry.number, newsOf(data, now))
  const found = stateOf(deps, entry)
  const { entry: fresh, open } = found
  // Of a state that nobody documented it is not known what it comes after, but where it stood so before.
  const isPending = data.state === pendingState || data.state === journal.stateBefore(fresh.number)
  if (!isPending || isOver(fresh.standing)) return found
  const isLate = (by: number): boolean =>
    serverTime !== undefined && hasLapsed(data, fresh.expiresAt, serverTime - by)
  const quietAt = open === undefined ? now : open.until + quietMs
  if (isLate(now < quietAt ? answeredMs : 0)) journal.settle(fresh, open, lapsed(deps))
  else if (open === undefined) return found
  else if (now < quietAt) return { ...found, ...settlesAt(open, quietAt, now) }
  else journal.settle(fresh, open, { settled: 'no-effect', standsAs: data.state, at: now })
  return stateOf(deps, entry)
}

/** Nothing where the clock was put back since: then this machine cannot tell. */
const settlesAt = ({ startedAt }: Call, at: number, now: number) =>
  now < startedAt - quietMs ? {} : { settlesAt: at }

const withoutId = (deps: Spending, entry: Entry): Reconciled => {
  const found = stateOf(deps, entry)
  const { open } = found
  if (open === undefined) return found
  const lapsesAt = open.until + unknownLapseMs
  const now = deps.clock.now()
  if (now < lapsesAt) return { ...found, ...settlesAt(open, lapsesAt, now) }
  deps.journal.settle(entry, open, lapsed(deps))
  return stateOf(deps, entry)
}

const stateOf = ({ journal }: Pick<Spending, 'journal'>, { number }: Entry): Reconciled => {
  const entry = journal.numbered(number)
  if (entry === undefined) throw new Failure('local-state', 'the journal has lost an order meanwhile')
  const open = journal.callsOf(number).find(isOpen)
  return { entry, ...(open && { open }) }
}
