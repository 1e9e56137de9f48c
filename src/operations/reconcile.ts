// Updates an order of the journal from the service, and applies the proof that nothing was spent. Never spends.

import type { Outcome } from '../client/outcome.ts'
import type { Order } from '../contract/schemas.ts'
import { formatUtcTime } from '../contract/time/timestamp.ts'
import { Failure, interruption } from '../errors.ts'
import { type Call, type Entry, isUnproven, type Known } from '../journal/orders/entry.ts'
import { getOrder, isCreating, listCalls } from '../journal/orders/queries.ts'
import { hasDamagedAmount } from '../journal/orders/row.ts'
import { isFinished, isHolding } from '../journal/orders/standings.ts'
import { type Decision, recordDecision, recordFact } from '../journal/orders/write-order.ts'
import { workInParallel } from './batch/parallel.ts'
import { countsAsUnconfirmed, hasCodes, isSameOrder, provesPayment } from './evidence.ts'
import { estimateProofTime, hasExpired, judgeUnconfirmed, type Times } from './expiry.ts'
import { createReadFailure, createStrangerFailure } from './failures/outcome-failures.ts'
import { findConfirmsEnd } from './next-step.ts'
import { requestOrder } from './read.ts'
import type { Session } from './session.ts'

export type Reconciled = Known & {
  /** Undefined if the service was not asked. */
  readonly response?: Outcome<Order> | undefined
  /** The confirm whose outcome is not proven. */
  readonly unproven?: Call
  /** When a further call can prove that nothing was spent, by this machine's clock. */
  readonly provenAt?: number | undefined
  /** Why the service's response could not be used. */
  readonly problem?: Failure
}

export const reconcile = async (session: Session, entry: Entry): Promise<Reconciled> => {
  const { orderId } = entry
  if (orderId === undefined) return settleCreate(session, entry)
  const isSettled = isFinished(entry) && entry.voidReason !== 'not-spent'
  if (isSettled && !hasDamagedAmount(entry)) return readStored(session, entry)
  return settleByResponse(session, entry, await requestOrder(session, orderId, session.interrupted))
}

/** A create without a response spends nothing. Its reference is free once no process waits for that response. */
const settleCreate = async (session: Session, entry: Entry): Promise<Reconciled> => {
  const { journal, clock } = session
  if (entry.standing === 'creating' && !(await isCreating(journal.read, entry, clock.now())))
    await recordFact(journal, entry.number, { kind: 'lost', at: clock.now() })
  return readStored(session, entry)
}

const concurrency = 4

/** In the order of the entries. `was`: the state before. */
export const reconcileAll = async (
  session: Session,
  entries: readonly Entry[],
  onDone: () => void,
): Promise<(Reconciled & { readonly was: string })[]> => {
  const { interrupted } = session
  const all: (Reconciled & { readonly was: string })[] = []
  await workInParallel(entries.entries(), { limit: concurrency, signal: interrupted }, async (each) => {
    const [index, entry] = each
    if (interrupted.aborted) return
    // A damaged entry cannot be written, but must not stop the others.
    const reconciled = await reconcile(session, entry).catch((problem): Reconciled => {
      if (problem instanceof Failure && problem.kind === 'local-state') return { entry, calls: [], problem }
      throw problem
    })
    all[index] = { ...reconciled, was: entry.state }
    onDone()
  })
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; the results so far are recorded')
  return all
}

type Writing = Pick<Session, 'journal' | 'clock'>

/** Applies the consequences of a recorded response. `before`: the entry before the request. */
export const settleByResponse = async (
  session: Writing,
  before: Entry,
  response: Outcome<Order>,
): Promise<Reconciled> => {
  const times = { now: session.clock.now(), serviceNow: response.serverTime }
  const stored = { ...(await readStored(session, before)), response }
  const { entry, unproven } = stored
  const order = response.kind === 'done' ? response.data : undefined
  const isStranger = order !== undefined && !isSameOrder(entry, order)
  // A payment that could not be recorded must not release the order.
  if (order !== undefined && !isStranger && entry.standing !== 'confirmed' && provesPayment(order, stored))
    return { ...stored, problem: createUnrecordedFailure(entry) }
  const problem = isStranger ? createStrangerFailure(entry) : findProblem(session, entry, response)
  if (unproven !== undefined && response.kind === 'done' && problem === undefined)
    return applyProof(session, stored, { before, response, times })
  // An order that was never confirmed expires, even if the service has deleted it. Codes before a confirm prove
  // nothing, but the order may have been confirmed outside orderctl.
  const mayExpire = order === undefined ? isForgotten(response) : problem === undefined && !hasCodes(order)
  if (entry.standing === 'pending' && unproven === undefined && mayExpire && hasExpired(entry, times)) {
    const { number, confirms } = entry
    await recordFact(session.journal, number, { kind: 'expired', confirms, at: times.now })
    return { ...(await readStored(session, entry)), response }
  }
  return problem === undefined || !isHolding(entry) ? stored : { ...stored, problem }
}

const createUnrecordedFailure = ({ orderId = '' }: Entry): Failure =>
  new Failure('local-state', `the order ${orderId} is paid, but the journal could not record it`, { orderId })

const isForgotten = (response: Outcome<Order>): boolean =>
  response.kind === 'refused' && response.refusal === 'order-not-found'

const findProblem = (
  session: Writing & Partial<Pick<Session, 'owner'>>,
  { orderId }: Entry,
  response: Outcome<Order>,
): Failure | undefined =>
  response.kind === 'done'
    ? undefined
    : createReadFailure(response, { orderId, origin: session.owner?.origin })

type Proof = {
  readonly before: Entry
  readonly response: Extract<Outcome<Order>, { readonly kind: 'done' }>
  readonly times: Times
}

const applyProof = async (
  { journal, clock }: Writing,
  stored: Stored,
  { before, response, times }: Proof,
): Promise<Reconciled> => {
  const { entry, allUnproven } = stored
  const { data: order, isOld = false } = response
  const { serviceNow } = times
  const isUnconfirmed = countsAsUnconfirmed(order, { ...stored, calls: allUnproven })
  const isProof = isUnconfirmed && !isOld && serviceNow !== undefined && entry.confirms === before.confirms
  const judgement = isProof ? judgeUnconfirmed(entry, { now: times.now, serviceNow }) : 'too-early'
  const { number, confirms } = entry
  if (judgement === 'proven')
    await recordFact(journal, number, { kind: 'expired', confirms, at: clock.now() })
  if (judgement === 'first' && serviceNow !== undefined)
    await recordFact(journal, number, {
      kind: 'unconfirmed',
      confirms,
      serviceTime: serviceNow,
      at: times.now,
    })
  const now = judgement === 'too-early' ? stored : await readStored({ journal }, entry)
  const provenAt = now.unproven && isUnconfirmed ? estimateProofTime(now.entry, times) : undefined
  return { ...now, response, provenAt }
}

/** An order with all its confirms whose outcome is not proven. */
type Stored = Reconciled & { readonly allUnproven: readonly Call[] }

const readStored = async ({ journal }: Pick<Session, 'journal'>, { number }: Entry): Promise<Stored> => {
  const [entry, calls] = await Promise.all([getOrder(journal.read, number), listCalls(journal.read, number)])
  if (entry === undefined) throw new Failure('local-state', 'the order is no longer in the journal')
  const allUnproven = calls.filter(isUnproven)
  return { entry, calls, allUnproven, unproven: allUnproven.at(-1) }
}

/** For outcomes that cannot be proven, for example if the service deleted the order. */
export const settleByHand = async (
  { journal, clock }: Writing,
  entry: Entry,
  decision: Omit<Decision, 'at'>,
): Promise<Reconciled> => {
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
    const safeFrom = formatUtcTime(end.until + 999)
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
  return readStored({ journal }, entry)
}
