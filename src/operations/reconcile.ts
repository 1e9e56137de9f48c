// Updates an order of the journal from the service, and applies the proof that nothing was spent. Never spends.
import type { Order } from '../contract/schemas.ts'
import { isPastPending, pendingState } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { type Call, type Entry, isFinished, isUnproven } from '../journal/entry.ts'
import type { Spending } from './deps.ts'
import { estimateServiceTime, findExpiry, hasExpired } from './expiry.ts'
import { isSameOrder, toOrderUpdate } from './order-update.ts'
import { createReadFailure } from './outcome-failures.ts'
import { findEarliestProof, judgeUnconfirmed } from './proof.ts'
import { interruption } from './read.ts'

export type Reconciled = {
  readonly entry: Entry
  /** The confirm whose outcome is not proven. */
  readonly unproven?: Call
  /** When another call can prove that nothing was spent, by this machine's clock. */
  readonly provenAt?: number
  /** Why the answer of the service could not be used. */
  readonly problem?: Failure
}

type Answer = { readonly data: Order; readonly serverTime?: number | undefined }

export const reconcile = async (deps: Spending, entry: Entry): Promise<Reconciled> => {
  const { orderId } = entry
  if (isFinished(entry.state) || orderId === undefined) return readReconciled(deps, entry)
  const outcome = await deps.api.get(orderId, { signal: deps.interrupted })
  if (outcome.kind === 'done') return settleByAnswer(deps, entry, outcome)
  const isForgotten = outcome.kind === 'refused' && outcome.refusal === 'order-not-found'
  // A service may delete an order that was never confirmed.
  if (isForgotten && expireMissing(deps, entry, outcome.serverTime)) return readReconciled(deps, entry)
  return { ...readReconciled(deps, entry), problem: createReadFailure(outcome, { orderId }) }
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
      onDone(await reconcileEntry(deps, entry), entry)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  if (deps.interrupted.aborted) {
    throw interruption(deps.interrupted, 'interrupted; the results so far are recorded')
  }
}

/** A damaged entry, which cannot be written, does not stop the others. */
const reconcileEntry = (deps: Spending, entry: Entry): Promise<Reconciled> =>
  reconcile(deps, entry).catch((error) => {
    if (error instanceof Failure && error.kind === 'local-state') return { entry, problem: error }
    throw error
  })

type Writing = Pick<Spending, 'journal' | 'clock'>

/** Records an answer to `get`, and applies the proof. */
export const settleByAnswer = (deps: Writing, entry: Entry, answer: Answer): Reconciled => {
  const { journal, clock } = deps
  const { data: order, serverTime } = answer
  if (!isSameOrder(entry, order)) {
    // The service reused the id for another order. An order that was never confirmed can still expire.
    if (expireMissing(deps, entry, serverTime)) return readReconciled(deps, entry)
    return { ...readReconciled(deps, entry), problem: createOtherOrderFailure(entry) }
  }
  const now = clock.now()
  journal.recordOrder(entry.number, toOrderUpdate(order, now))
  const updated = readReconciled(deps, entry)
  if (isFinished(updated.entry.state) || updated.entry.confirmedAt !== undefined) return updated
  // An undocumented state proves nothing, unless the order had it before the first confirm.
  const isUnconfirmed =
    order.state === pendingState || order.state === journal.findStateBeforeConfirm(entry.number)
  return isUnconfirmed
    ? applyProof(deps, updated.entry, order, estimateServiceTime(updated.entry, now, serverTime))
    : updated
}

/** For an order that the service does not show. Returns whether it expired without a confirm that may have spent. */
const expireMissing = (deps: Writing, entry: Entry, serverTime: number | undefined): boolean => {
  const now = deps.clock.now()
  const isOverdue = hasExpired(findExpiry(entry), estimateServiceTime(entry, now, serverTime))
  if (!isOverdue || entry.confirmedAt !== undefined || findUnproven(deps, entry).length > 0) return false
  deps.journal.recordExpiry(entry, [], now)
  return true
}

const applyProof = (deps: Writing, entry: Entry, order: Order, serviceTime: number): Reconciled => {
  const { journal, clock } = deps
  const unproven = findUnproven(deps, entry)
  const expiresAt = findExpiry(entry, order)
  if (unproven.length === 0) {
    if (hasExpired(expiresAt, serviceTime)) journal.recordExpiry(entry, [], clock.now())
    return readReconciled(deps, entry)
  }
  const judgement = judgeUnconfirmed({ serviceTime, expiresAt, unconfirmedAt: entry.unconfirmedAt })
  if (judgement.kind === 'proven') {
    journal.recordExpiry(entry, unproven, clock.now())
    return readReconciled(deps, entry)
  }
  if (judgement.kind === 'first') journal.recordUnconfirmed(entry.number, serviceTime)
  return { ...readReconciled(deps, entry), provenAt: clock.now() + (judgement.provenAt - serviceTime) }
}

// Without the reference of the other order, in which a service may repeat a code.
export const createOtherOrderFailure = ({
  orderId = '',
  reference = '',
}: Pick<Entry, 'orderId' | 'reference'>): Failure =>
  new Failure(
    'refused',
    `the service shows another order under the id ${orderId}: its reference is not ${reference}`,
    { orderId },
  )

const findUnproven = ({ journal }: Pick<Spending, 'journal'>, { number }: Entry): Call[] =>
  journal.listCalls(number).filter(isUnproven)

const readReconciled = (deps: Pick<Spending, 'journal'>, { number }: Entry): Reconciled => {
  const entry = deps.journal.getOrder(number)
  if (entry === undefined) throw new Failure('local-state', 'the order is no longer in the journal')
  const unproven = findUnproven(deps, entry).at(-1)
  return { entry, ...(unproven === undefined ? {} : { unproven }) }
}

/** When the order can be proven unconfirmed, by this machine's clock. */
export const estimateProofTime = (entry: Entry, now: number, serverTime: number | undefined): number =>
  now + findEarliestProof(findExpiry(entry)) - estimateServiceTime(entry, now, serverTime)

export type ManualSettlement = { readonly isSpent: boolean; readonly by: string; readonly reason: string }

/** For outcomes that cannot be proven, for example because the service deleted the order. */
export const settleByHand = (
  { journal, clock }: Writing,
  entry: Entry,
  { isSpent, by, reason }: ManualSettlement,
): Reconciled => {
  const { orderId = '', state, confirmedAt } = entry
  const unproven = findUnproven({ journal }, entry)
  const isKnown = unproven.length === 0 && (isFinished(state) || confirmedAt !== undefined)
  if (isKnown) {
    throw new Failure('usage', `nothing to settle: the order ${orderId} is ${state}`, { orderId })
  }
  const at = clock.now()
  const settledState = isSpent ? (isPastPending(state) ? state : 'confirmed') : 'expired'
  journal.recordDecision(entry, { isSpent, by, reason, at, state: settledState })
  return readReconciled({ journal }, entry)
}
