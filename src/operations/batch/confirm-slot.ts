// Confirms the order of a slot within the batch's cap.

import { formatDecimal } from '../../contract/money/decimal.ts'
import { Failure } from '../../errors.ts'
import { type Claim, formatLines } from '../../journal/batches/batches.ts'
import { holdOrder } from '../../journal/batches/slots.ts'
import { type Entry, getOrder } from '../../journal/orders/entries.ts'
import { isHolding } from '../../journal/orders/standings.ts'
import { readRequestedProducts, refuseChanges } from '../compare.ts'
import { confirm } from '../confirm/confirm.ts'
import { readForConfirm } from '../confirm/read-for-confirm.ts'
import { guard, type Offer } from '../limits.ts'
import { settlingMs } from '../next-step.ts'
import { reconcile } from '../reconcile.ts'
import type { BatchRun, SlotEnd } from './batch-run.ts'
import type { Stage } from './slot-queue.ts'

export type SlotAttempt = {
  readonly run: BatchRun
  readonly slot: number
  /** Called when the slot waits without sending anything, so that the next slot can begin. */
  readonly enter: (stage: Stage) => void
}

export const createClaim = ({ run, slot }: SlotAttempt, lines: string): Claim => ({
  batch: run.batch.number,
  slot,
  lines,
  holdMs: holdMsOf(run),
})

/** For what follows a create or confirm when its time is over: the next request, or the outcome of the confirm. */
const marginMs = 15_000

const holdMsOf = ({ session: { api } }: BatchRun): Claim['holdMs'] => ({
  create: api.timeoutMs('create') + marginMs,
  confirm: api.timeoutMs('confirm') + settlingMs + marginMs,
})

/** Whether the order of a slot belongs to this run, which takes it over if no run holds it. */
export const takesOver = async ({ run, slot }: SlotAttempt, { number }: Entry): Promise<boolean> => {
  const { own, session } = run
  if (own.get(slot) === number) return true
  if (!(await session.journal.write((access) => holdOrder(access, number, holdMsOf(run).create))))
    return false
  own.set(slot, number)
  return true
}

/** An order that expires sooner is not confirmed: a refused confirm would block the slot until there is proof. */
const minValidityMs = 10_000
/** The confirm has certainly spent nothing. */
const unspentKinds: readonly string[] = ['unavailable', 'refused', 'expired', 'not-approved']

export const confirmOffer = async (
  { run, enter }: SlotAttempt,
  offer: Offer,
  claim: Claim,
): Promise<SlotEnd | 'next'> => {
  const { session, counter } = run
  const { orderId } = offer
  await run.pace.ready(session.interrupted)
  guard(offer, {}, session.serviceNow())
  if (offer.isEstimate !== true && offer.expiresAt - session.serviceNow() < minValidityMs) {
    const problem = `the order ${orderId} expires in less than 10 s; it was not confirmed`
    return { kind: 'later', ms: minValidityMs, failure: new Failure('expired', problem, { orderId }) }
  }
  try {
    await confirm(session, offer, {
      claim,
      onSending: () => void counter.unknown.add(orderId),
      onSettling: () => enter('settling'),
    })
  } catch (error) {
    if (error instanceof Failure && unspentKinds.includes(error.kind)) counter.unknown.delete(orderId)
    throw error
  }
  counter.unknown.delete(orderId)
  counter.confirmed += 1
  counter.spent = counter.spent.plus(offer.total)
  return 'next'
}

export const confirmEarlier = async (attempt: SlotAttempt, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { session, pace } = attempt.run
  const { orderId = '' } = entry
  await pace.ready(session.interrupted)
  try {
    const { offer, differences } = await readForConfirm(session, { orderId, entry })
    refuseChanges(orderId, differences)
    // A request that cannot be read matches no lines.
    const ordered = readRequestedProducts(entry) ?? []
    const lines = formatLines(ordered.map((line) => ({ ...line, quote: formatDecimal(line.quote) })))
    return await confirmOffer(attempt, offer, createClaim(attempt, lines))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The order may have expired, or the service may have forgotten it: then the slot is free again.
    const { entry: now } = await reconcile(
      session,
      (await getOrder(session.journal.read, entry.number)) ?? entry,
    )
    if (now.standing === 'confirmed' || !isHolding(now)) return 'next'
    throw error
  }
}
