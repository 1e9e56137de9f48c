// Brings an order of the journal up to date, as far as its state can be known now. Never spends.
import type { Order } from '../contract/schemas.ts'
import { isPastPending, pendingState } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { type Call, type Entry, isFinished, isUnproven } from '../journal/entry.ts'
import type { Spending } from './deps.ts'
import { expiryOf, hasExpired, serviceTimeAt } from './expiry.ts'
import { readFailure } from './failure-of.ts'
import { isAbout, updateOf } from './order-update.ts'
import { earliestProof, judgeUnconfirmed } from './proof.ts'
import { interruption } from './read.ts'

export type Reconciled = {
  readonly entry: Entry
  /** The confirm whose outcome is not proven. */
  readonly unproven?: Call
  /** By this machine's clock: when a further call can prove that nothing was spent. */
  readonly provenAt?: number
  /** Why the service gave no answer that helps. */
  readonly problem?: Failure
}

type Answer = { readonly data: Order; readonly serverTime?: number | undefined }

export const reconcile = async (deps: Spending, entry: Entry): Promise<Reconciled> => {
  const { orderId } = entry
  if (isFinished(entry.state) || orderId === undefined) return stateOf(deps, entry)
  const outcome = await deps.api.get(orderId, { signal: deps.interrupted })
  if (outcome.kind === 'done') return settleByAnswer(deps, entry, outcome)
  const isForgotten = outcome.kind === 'refused' && outcome.refusal === 'order-not-found'
  // A service may forget an order that was never confirmed.
  if (isForgotten && expiresUnshown(deps, entry, outcome.serverTime)) return stateOf(deps, entry)
  return { ...stateOf(deps, entry), problem: readFailure(outcome, { orderId }) }
}

const concurrency = 4

export const reconcileAll = async (
  deps: Spending,
  entries: readonly Entry[],
  onDone: (reconciled: Reconciled, before: Entry) => void,
): Promise<void> => {
  const left = entries.values()
  const work = async (): Promise<void> => {
    for (const entry of left) {
      if (deps.interrupted.aborted) return
      onDone(await reconcileAlone(deps, entry), entry)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  if (deps.interrupted.aborted) {
    throw interruption(deps.interrupted, 'interrupted; what was settled so far is recorded')
  }
}

/** An entry that cannot be written, because it is damaged, does not stop the others. */
const reconcileAlone = (deps: Spending, entry: Entry): Promise<Reconciled> =>
  reconcile(deps, entry).catch((error) => {
    if (error instanceof Failure && error.kind === 'local-state') return { entry, problem: error }
    throw error
  })

type Writing = Pick<Spending, 'journal' | 'clock'>

/** Applies an answer of `get`, and the proof that time has completed. */
export const settleByAnswer = (deps: Writing, entry: Entry, answer: Answer): Reconciled => {
  const { journal, clock } = deps
  const { data: order, serverTime } = answer
  if (!isAbout(entry, order)) {
    // Its id was given to another order. What was never confirmed is over when it has expired.
    if (expiresUnshown(deps, entry, serverTime)) return stateOf(deps, entry)
    return { ...stateOf(deps, entry), problem: otherOrder(entry) }
  }
  const now = clock.now()
  journal.recordOrder(entry.number, updateOf(order, now))
  const fresh = stateOf(deps, entry)
  if (isFinished(fresh.entry.state) || fresh.entry.confirmedAt !== undefined) return fresh
  // An undocumented state proves nothing, unless the order had it before it was first confirmed.
  const isUnconfirmed =
    order.state === pendingState || order.state === journal.findStateBeforeConfirm(entry.number)
  return isUnconfirmed ? judged(deps, fresh.entry, order, serviceTimeAt(fresh.entry, now, serverTime)) : fresh
}

/** For an order that the service does not show: whether it has expired without a confirm that may have spent. */
const expiresUnshown = (deps: Writing, entry: Entry, serverTime: number | undefined): boolean => {
  const now = deps.clock.now()
  const isOverdue = hasExpired(expiryOf(entry), serviceTimeAt(entry, now, serverTime))
  if (!isOverdue || entry.confirmedAt !== undefined || unprovenOf(deps, entry).length > 0) return false
  deps.journal.recordExpiry(entry, [], now)
  return true
}

const judged = (deps: Writing, entry: Entry, order: Order, serviceTime: number): Reconciled => {
  const { journal, clock } = deps
  const unproven = unprovenOf(deps, entry)
  const expiresAt = expiryOf(entry, order)
  if (unproven.length === 0) {
    if (hasExpired(expiresAt, serviceTime)) journal.recordExpiry(entry, [], clock.now())
    return stateOf(deps, entry)
  }
  const judgement = judgeUnconfirmed({ serviceTime, expiresAt, unconfirmedAt: entry.unconfirmedAt })
  if (judgement.kind === 'proven') {
    journal.recordExpiry(entry, unproven, clock.now())
    return stateOf(deps, entry)
  }
  if (judgement.kind === 'first') journal.recordUnconfirmed(entry.number, serviceTime)
  return { ...stateOf(deps, entry), provenAt: clock.now() + (judgement.provenAt - serviceTime) }
}

// The other order's reference is left out: a service may repeat a code in it.
const otherOrder = ({ orderId = '', reference = '' }: Entry): Failure =>
  new Failure(
    'refused',
    `the service shows another order under the id ${orderId}: its reference is not ${reference}`,
    { orderId },
  )

const unprovenOf = ({ journal }: Pick<Spending, 'journal'>, { number }: Entry): Call[] =>
  journal.listCalls(number).filter(isUnproven)

const stateOf = (deps: Pick<Spending, 'journal'>, { number }: Entry): Reconciled => {
  const entry = deps.journal.getOrder(number)
  if (entry === undefined) throw new Failure('local-state', 'the order is no longer in the journal')
  const unproven = unprovenOf(deps, entry).at(-1)
  return { entry, ...(unproven === undefined ? {} : { unproven }) }
}

/** By this machine's clock: from then on the order can be proven unconfirmed, if it is. */
export const provableAt = (entry: Entry, now: number, serverTime: number | undefined): number =>
  now + earliestProof(expiryOf(entry)) - serviceTimeAt(entry, now, serverTime)

export type ManualSettlement = { readonly isSpent: boolean; readonly by: string; readonly reason: string }

/** A person decides what cannot be proven. The way out if the service has forgotten the order. */
export const settleByHand = (
  { journal, clock }: Writing,
  entry: Entry,
  { isSpent, by, reason }: ManualSettlement,
): Reconciled => {
  const { orderId = '', state, confirmedAt } = entry
  const unproven = unprovenOf({ journal }, entry)
  const isKnown = unproven.length === 0 && (isFinished(state) || confirmedAt !== undefined)
  if (isKnown) {
    throw new Failure('usage', `there is nothing to settle: the order ${orderId} is ${state}`, { orderId })
  }
  const at = clock.now()
  const settledState = isSpent ? (isPastPending(state) ? state : 'confirmed') : 'expired'
  journal.recordDecision(entry, { isSpent, by, reason, at, state: settledState })
  return stateOf({ journal }, entry)
}
