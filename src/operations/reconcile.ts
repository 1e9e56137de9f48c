// Updates an order of the journal from the service, and applies the proof that nothing was spent. Never spends.
import type { DoneOutcome } from '../client/outcome.ts'
import type { Order } from '../contract/schemas.ts'
import { pendingState } from '../contract/states.ts'
import { Failure, interruption } from '../errors.ts'
import { type Call, type Entry, isUnproven } from '../journal/orders/entry.ts'
import type { Decision } from '../journal/orders/observations.ts'
import { isFinished, isHolding } from '../journal/orders/standings.ts'
import { workInParallel } from './batch/parallel.ts'
import { estimateServiceTime, findEarliestProof, findExpiry, hasExpired, judgeUnconfirmed } from './expiry.ts'
import { createReadFailure } from './outcome-failures.ts'
import { isPaid, isSameOrder, requestOrder, toOrderUpdate } from './read.ts'
import type { Session } from './session.ts'

export type Reconciled = {
  readonly entry: Entry
  /** The confirm whose outcome is not proven. */
  readonly unproven?: Call
  /** When another call can prove that nothing was spent, by this machine's clock. */
  readonly provenAt?: number
  /** Why the response of the service could not be used. */
  readonly problem?: Failure
}

export const reconcile = async (session: Session, entry: Entry): Promise<Reconciled> => {
  const { orderId } = entry
  if (orderId === undefined) return settleCreate(session, entry)
  if (isFinished(entry)) return readStored(session, entry)
  const outcome = await requestOrder(session, orderId, session.interrupted)
  if (outcome.kind === 'done') return settleByResponse(session, entry, outcome)
  const isForgotten = outcome.kind === 'refused' && outcome.refusal === 'order-not-found'
  // A service may delete an order that was never confirmed.
  if (isForgotten && (await expireMissing(session, entry, outcome.serverTime)))
    return readStored(session, entry)
  return {
    ...(await readStored(session, entry)),
    problem: createReadFailure(outcome, { orderId, origin: session.owner.origin }),
  }
}

/** A create without a response spends nothing. Its reference is free when no process waits for it any more. */
const settleCreate = async (session: Session, entry: Entry): Promise<Reconciled> => {
  const { journal, clock } = session
  if (entry.standing === 'creating' && !(await journal.isCreating(entry, clock.now())))
    await journal.recordLost(entry, clock.now())
  return readStored(session, entry)
}

const concurrency = 4

export const reconcileAll = async (
  session: Session,
  entries: readonly Entry[],
  onDone: (reconciled: Reconciled, before: Entry) => void,
): Promise<void> => {
  const { interrupted } = session
  await workInParallel(entries, { limit: concurrency, signal: interrupted }, async (entry) => {
    if (interrupted.aborted) return
    // A damaged entry cannot be written, but must not stop the others.
    const reconciled = await reconcile(session, entry).catch((problem): Reconciled => {
      if (problem instanceof Failure && problem.kind === 'local-state') return { entry, problem }
      throw problem
    })
    onDone(reconciled, entry)
  })
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; the results so far are recorded')
}

type Writing = Pick<Session, 'journal' | 'clock'>

/** Records a response to `get`, and applies the proof. */
export const settleByResponse = async (
  session: Writing,
  entry: Entry,
  response: Pick<DoneOutcome<Order>, 'data' | 'serverTime'>,
): Promise<Reconciled> => {
  const { journal, clock } = session
  const { data: order, serverTime } = response
  if (!isSameOrder(entry, order)) {
    // The service reused the id for another order. An order that was never confirmed can still expire.
    if (await expireMissing(session, entry, serverTime)) return readStored(session, entry)
    return { ...(await readStored(session, entry)), problem: createOtherOrderFailure(entry) }
  }
  const now = clock.now()
  await journal.recordOrder(entry.number, toOrderUpdate(entry, order, now))
  const updated = await readStored(session, entry)
  return showsUnconfirmed(updated, entry, order)
    ? applyProof(session, updated, order, estimateServiceTime(updated.entry, now, serverTime))
    : updated
}

/**
 * Whether the response counts in a proof. It was asked for after the last intent to confirm, and shows `created` or,
 * for each unproven confirm, what the service showed before it: a service may have its own name for a pending order.
 */
const showsUnconfirmed = ({ entry, allUnproven }: Stored, { confirms }: Entry, order: Order): boolean =>
  entry.standing !== 'confirmed' &&
  isHolding(entry) &&
  entry.confirms === confirms &&
  !isPaid(order) &&
  allUnproven.every(({ serviceState = pendingState }) => [pendingState, serviceState].includes(order.state))

/** For an order that the service does not show. Returns whether it expired without a confirm that may have spent. */
const expireMissing = async (
  session: Writing,
  entry: Entry,
  serverTime: number | undefined,
): Promise<boolean> => {
  const now = session.clock.now()
  const isOverdue = hasExpired(findExpiry(entry), estimateServiceTime(entry, now, serverTime))
  if (!isOverdue || entry.standing === 'confirmed') return false
  if ((await session.journal.listCalls(entry.number)).some(isUnproven)) return false
  await session.journal.recordExpiry(entry, [], now)
  return true
}

const applyProof = async (
  session: Writing,
  stored: Stored,
  order: Order,
  serviceTime: number,
): Promise<Reconciled> => {
  const { journal, clock } = session
  const { entry, allUnproven } = stored
  const expiresAt = findExpiry(entry, order)
  if (allUnproven.length === 0) {
    if (!hasExpired(expiresAt, serviceTime)) return stored
    await journal.recordExpiry(entry, [], clock.now())
    return readStored(session, entry)
  }
  const judgement = judgeUnconfirmed(serviceTime, expiresAt, entry.unconfirmedAt)
  if (judgement.kind === 'proven') {
    await journal.recordExpiry(entry, allUnproven, clock.now())
    return readStored(session, entry)
  }
  if (judgement.kind === 'first') await journal.recordUnconfirmed(entry, serviceTime)
  return {
    ...(await readStored(session, entry)),
    provenAt: clock.now() + (judgement.provenAt - serviceTime),
  }
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

/** An order with all its confirms whose outcome is not proven. */
type Stored = Reconciled & { readonly allUnproven: readonly Call[] }

const readStored = async ({ journal }: Pick<Session, 'journal'>, { number }: Entry): Promise<Stored> => {
  const [entry, calls] = await Promise.all([journal.getOrder(number), journal.listCalls(number)])
  if (entry === undefined) throw new Failure('local-state', 'the order is no longer in the journal')
  const allUnproven = calls.filter(isUnproven)
  return { entry, allUnproven, unproven: allUnproven.at(-1) }
}

/** When the order can be proven unconfirmed, by this machine's clock. */
export const estimateProofTime = (entry: Entry, now: number, serverTime: number | undefined): number =>
  now + findEarliestProof(findExpiry(entry)) - estimateServiceTime(entry, now, serverTime)

/** For outcomes that cannot be proven, for example because the service deleted the order. */
export const settleByHand = async (
  { journal, clock }: Writing,
  entry: Entry,
  decision: Omit<Decision, 'at'>,
): Promise<Reconciled> => {
  const { orderId = '', state, standing } = entry
  if (standing === 'confirmed' || !isHolding(entry)) {
    throw new Failure('usage', `nothing to settle: the order ${orderId} is ${state}`, { orderId })
  }
  const isRecorded = await journal.recordDecision(entry, { ...decision, at: clock.now() })
  if (!isRecorded) {
    throw new Failure('refused', `the order ${orderId} has changed meanwhile; nothing was settled`, {
      orderId,
      fix: (suggest) => `Look at it again: ${suggest`reconcile ${orderId}`}`,
    })
  }
  return readStored({ journal }, entry)
}
