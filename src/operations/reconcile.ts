// Updates an order of the journal from the service, and applies the proof that nothing was spent. Never spends.

import type { Outcome } from '../client/api.ts'
import type { Order } from '../contract/schemas.ts'
import { formatSafeTime } from '../contract/time.ts'
import { Failure, interruption } from '../errors.ts'
import type { Fact } from '../journal/orders/apply.ts'
import {
  type Call,
  type Entry,
  hasDamagedAmount,
  isCreating,
  type Known,
  readKnown,
} from '../journal/orders/entries.ts'
import {
  countsAsUnconfirmed,
  estimateProofTime,
  isFinished,
  isHolding,
  isUnproven,
} from '../journal/orders/standings.ts'
import { type Decision, recordDecision, recordFact, recordNews } from '../journal/orders/write-order.ts'
import type { Session } from './dependencies.ts'
import { createReadFailure, createStrangerFailure } from './failures.ts'
import { workInParallel } from './parallel.ts'
import { findConfirmsEnd } from './purchase-step.ts'
import { observeOrder } from './read.ts'
import { hasCodes, isForgotten, isSameOrder, provesPayment } from './view.ts'

export type Reconciliation = Known & {
  /** Undefined if the service was not asked. */
  readonly response?: Outcome<Order> | undefined
  /** The confirm whose outcome is not proven. */
  readonly unproven?: Call | undefined
  /** When a further call may prove that nothing was spent, by the journal's clock. */
  readonly provenAt?: number | undefined
  /** Why the service's response could not be used. */
  readonly problem?: Failure
}

export const reconcile = async (session: Session, entry: Entry): Promise<Reconciliation> => {
  const { orderId } = entry
  if (orderId === undefined) return endLostCreate(session, entry)
  const isSettled = isFinished(entry) && entry.voidReason !== 'not-spent'
  if (isSettled && !hasDamagedAmount(entry)) return readReconciled(session, entry)
  const { response } = await observeOrder(session, { orderId }, session.interrupted)
  return applyProof(session, entry, response)
}

/** A create without a response spends nothing. Its reference is free once no process waits for that response. */
const endLostCreate = async (session: Session, entry: Entry): Promise<Reconciliation> => {
  const { journal, clock } = session
  if (entry.standing === 'creating' && !(await isCreating(journal.read, entry, clock.now())))
    await recordFact(journal, entry.number, { kind: 'lost', at: clock.now() })
  return readReconciled(session, entry)
}

const concurrency = 4

/** In the order of the entries. `was`: the state before. */
export const reconcileAll = async (
  session: Session,
  entries: readonly Entry[],
  onDone: (done: Reconciliation) => void,
): Promise<(Reconciliation & { readonly was: string })[]> => {
  const { interrupted } = session
  const all: (Reconciliation & { readonly was: string })[] = []
  await workInParallel(entries.entries(), { limit: () => concurrency, signal: interrupted }, async (each) => {
    const [index, entry] = each
    if (interrupted.aborted) return
    // A damaged entry cannot be written, but must not stop the others.
    const reconciled = await reconcile(session, entry).catch((problem): Reconciliation => {
      if (problem instanceof Failure && problem.kind === 'local-state') return { entry, calls: [], problem }
      throw problem
    })
    all[index] = { ...reconciled, was: entry.state }
    onDone(reconciled)
  })
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; the results so far are recorded')
  return all
}

type Writing = Pick<Session, 'journal' | 'clock'>

/** Applies what a recorded response proves. `before`: the entry before the request. */
export const applyProof = async (
  session: Writing & Pick<Session, 'owner'>,
  before: Entry,
  response: Outcome<Order>,
): Promise<Reconciliation> => {
  const times = { now: session.clock.now(), serviceNow: response.serverTime }
  const stored = await readReconciled(session, before)
  const { entry } = stored
  const order = response.kind === 'done' ? response.data : undefined
  const isStranger = order !== undefined && !isSameOrder(entry, order)
  // A payment that could not be recorded must not release the order.
  if (order !== undefined && !isStranger && entry.standing !== 'confirmed' && provesPayment(order, stored))
    return { ...stored, response, problem: createUnrecordedFailure(entry) }
  const problem =
    response.kind !== 'done'
      ? createReadFailure(response, { orderId: entry.orderId, origin: session.owner.origin })
      : isStranger
        ? createStrangerFailure(entry)
        : undefined
  const isCheck = problem === undefined || isForgotten(response)
  const check = toCheck(before, response, times.now)
  const settled = toReconciliation(isCheck ? await recordNews(session.journal, stored, check) : stored)
  const isUnconfirmed = order !== undefined && problem === undefined && countsAsUnconfirmed(order, stored)
  return {
    ...settled,
    response,
    provenAt: settled.unproven && isUnconfirmed ? estimateProofTime(settled.entry, times) : undefined,
    ...(problem !== undefined && isHolding(settled.entry) && { problem }),
  }
}

const toCheck = ({ confirms }: Entry, response: Outcome<Order>, at: number): Fact => ({
  kind: 'checked',
  ...(response.kind === 'done'
    ? { state: response.data.state, hasCodes: hasCodes(response.data), isOld: response.isOld ?? false }
    : { state: undefined, hasCodes: false, isOld: false }),
  ...{ confirms, serviceTime: response.serverTime, at },
})

const createUnrecordedFailure = ({ orderId = '' }: Entry): Failure =>
  new Failure('local-state', `the order ${orderId} is paid, but the journal could not record it`, { orderId })

const toReconciliation = (known: Known): Reconciliation => ({
  ...known,
  unproven: known.calls.filter(isUnproven).at(-1),
})

const readReconciled = async (
  { journal }: Pick<Session, 'journal'>,
  { number }: Entry,
): Promise<Reconciliation> => {
  const known = await readKnown(journal.read, number)
  if (known === undefined) throw new Failure('local-state', 'the order is no longer in the journal')
  return toReconciliation(known)
}

/** For outcomes that cannot be proven, for example if the service deleted the order. */
export const decideByHand = async (
  { journal, clock }: Writing,
  entry: Entry,
  decision: Omit<Decision, 'at'>,
): Promise<Reconciliation> => {
  const { orderId = '', reference = '', state, standing } = entry
  const isConfirmed = standing === 'confirmed'
  const isProven = isConfirmed && entry.referenceShown !== 0 && entry.decision !== 'spent'
  if (isProven && !decision.isSpent) {
    const problem = `the order ${orderId} is confirmed (${state}), and get has shown it with its reference ${reference}; nothing was settled`
    throw new Failure('usage', problem, { orderId })
  }
  if ((isConfirmed && decision.isSpent) || !isHolding(entry)) {
    throw new Failure('usage', `nothing to settle: the order ${orderId} is ${state}`, { orderId })
  }
  const end = await recordDecision(journal, entry, { ...decision, at: clock.now() }, findConfirmsEnd)
  if (end.kind === 'in-flight') {
    const safeFrom = formatSafeTime(end.until)
    throw new Failure(
      'unproven',
      `a confirm of the order ${orderId} may still be in progress; nothing was settled`,
      {
        orderId,
        safeFrom,
        advice: `Do not order again. From ${safeFrom}, a person can settle the order.`,
      },
    )
  }
  if (end.kind === 'changed') {
    throw new Failure('refused', `the order ${orderId} has changed meanwhile; nothing was settled`, {
      orderId,
      fix: (suggest) => suggest`reconcile ${orderId}`,
    })
  }
  return readReconciled({ journal }, entry)
}
