// Brings an entry of the journal to the truth, as far as it can be known now. Never spends.
import type { Outcome } from '../client/outcome.ts'
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { pendingState } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { type Call, type Entry, isOpen, isOver } from '../journal/entry.ts'
import type { Spending } from './deps.ts'
import { readFailure } from './failure-of.ts'
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

// Spec: normally ten minutes. An order that nobody has the id of cannot be confirmed in any of them.
const lapseMs = limits.validityMs * 1.5

/** An expiry by the service's clock, which its `Date` header gives in whole seconds. */
const marginMs = 2_000

export const reconcile = async (deps: Spending, entry: Entry): Promise<Reconciled> => {
  if (isOver(entry.standing)) return { entry }
  const { orderId } = entry
  if (orderId === undefined) return withoutId(deps, entry)
  const outcome = await deps.api.get(orderId, { signal: deps.interrupted })
  if (outcome.kind === 'done') return settlePending(deps, entry, outcome)
  return { ...stateOf(deps, entry), problem: readFailure(outcome, { orderId }) }
}

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

type Heard = Extract<Outcome<Order>, { kind: 'done' }>

/** By an answer of `get`: what it says, and what time has made certain. */
export const settlePending = (
  deps: Pick<Spending, 'journal' | 'clock' | 'owner'>,
  entry: Entry,
  { data, serverTime }: Pick<Heard, 'data' | 'serverTime'>,
): Reconciled => {
  const { journal, clock, owner } = deps
  const now = clock.now()
  journal.noteState(owner, data.uid, data.state, now)
  const { entry: fresh, open } = stateOf(deps, entry)
  // Of a state that nobody documented it is not known what it comes after.
  if (data.state !== pendingState || isOver(fresh.standing)) return { entry: fresh, ...(open && { open }) }
  const quietAt = open === undefined ? now : open.until + quietMs
  if (now < quietAt) return { entry: fresh, ...(open && { open }), settlesAt: quietAt }
  const { expiresAt } = fresh
  const hasLapsed = expiresAt !== undefined && (serverTime ?? now) > expiresAt + marginMs
  if (hasLapsed) journal.settle(fresh, 'lapsed', now)
  else if (open !== undefined) journal.settle(fresh, 'no-effect', now)
  return stateOf(deps, entry)
}

const withoutId = (deps: Spending, entry: Entry): Reconciled => {
  const { open } = stateOf(deps, entry)
  const lapsesAt = (open?.until ?? entry.placedAt) + lapseMs
  const now = deps.clock.now()
  if (now < lapsesAt) return { entry, ...(open && { open }), settlesAt: lapsesAt }
  deps.journal.settle(entry, 'lapsed', now)
  return stateOf(deps, entry)
}

const stateOf = ({ journal }: Pick<Spending, 'journal'>, { number }: Entry): Reconciled => {
  const entry = journal.numbered(number)
  if (entry === undefined) throw new Failure('local-state', 'the journal has lost an order meanwhile')
  const open = journal.callsOf(number).find(isOpen)
  return { entry, ...(open && { open }) }
}
