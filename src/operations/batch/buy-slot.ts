// Buys the cards of one slot: takes its steps until none is left, or until the slot has to wait.
import { formatUtcTime } from '../../contract/timestamp.ts'
import { Failure } from '../../errors.ts'
import type { Entry } from '../../journal/entry.ts'
import { isSameOrder } from '../order-update.ts'
import { reconcile } from '../reconcile.ts'
import type { BatchRun, SlotEnd } from './batch-run.ts'
import { confirmEarlier } from './confirm-slot.ts'
import { recordDelivery } from './delivery.ts'
import { judgeFailure } from './judge-failure.ts'
import { findNextStep } from './next-step.ts'
import { placeSlot } from './place-slot.ts'

/** Calls `release` when the slot only waits for the outcome of a confirm, so that another slot can begin. */
export const buySlot = async (run: BatchRun, slot: number, release: () => void): Promise<SlotEnd> => {
  for (;;) {
    const end = await takeStep(run, slot, release).catch((error) => judgeFailure(run, error))
    if (end !== 'next') return end
    if (run.deps.interrupted.aborted) return { kind: 'interrupted' }
  }
}

const busyMs = 1_000

const takeStep = async (run: BatchRun, slot: number, release: () => void): Promise<SlotEnd | 'next'> => {
  const { deps, batches, batch } = run
  const step = await findNextStep({ ...deps, batches }, { batch: batch.number, slot })
  switch (step.kind) {
    case 'done':
      return { kind: 'done' }
    case 'busy':
      return { kind: 'later', ms: busyMs }
    case 'create':
      return placeSlot(run, slot, { lines: step.lines, release })
    case 'confirm':
      return confirmEarlier(run, slot, { entry: step.entry, release })
    case 'collect':
      return collectCards(run, slot, step.entry)
    case 'settle':
      return settleEarlier(run, step.entry)
  }
}

const collectCards = async (run: BatchRun, slot: number, entry: Entry): Promise<SlotEnd> => {
  const { orderId = '' } = entry
  const watched = await run.poller.untilFinal(orderId)
  switch (watched.kind) {
    case 'final':
      // A wrong answer to create may have given the id of another slot's order, whose cards are not for this one.
      if (!isSameOrder(entry, watched.order))
        return { kind: 'unknown', failure: createOtherSlotFailure(entry), isConfirmed: true }
      await recordDelivery({ ...run, ...run.deps }, slot, watched.order)
      if (await run.batches.isOvercharged(run.batch.number)) return { kind: 'stopped', reason: 'charge' }
      return { kind: 'done' }
    case 'stopped':
      return { kind: 'interrupted' }
    case 'lost':
      return { kind: 'unknown', failure: watched.failure, isConfirmed: true }
    case 'slow':
      return { kind: 'slow', failure: createSlowFailure(orderId, watched.state) }
  }
}

const createOtherSlotFailure = ({ orderId = '', reference = '' }: Entry): Failure =>
  new Failure('unknown', `the order ${orderId} is confirmed, but its reference is not ${reference}`, {
    orderId,
  })

const createSlowFailure = (orderId: string, state: string): Failure =>
  new Failure('timed-out', `the order ${orderId} is still ${state}`, { orderId })

const settleEarlier = async ({ deps, counter }: BatchRun, entry: Entry): Promise<SlotEnd | 'next'> => {
  const { entry: now, unproven, provenAt } = await reconcile(deps, entry)
  if (now.standing === 'confirmed' || unproven === undefined) {
    counter.unknown.delete(now.orderId ?? '')
    return 'next'
  }
  counter.unknown.add(now.orderId ?? '')
  return { kind: 'unknown', failure: createUnprovenFailure(now, provenAt), isConfirmed: false }
}

const createUnprovenFailure = ({ orderId = '' }: Entry, provenAt: number | undefined): Failure => {
  const when = provenAt === undefined ? '' : `, at the earliest at ${formatUtcTime(provenAt)}`
  return new Failure(
    'unknown',
    `the order ${orderId} may have spent money. orderctl buys its cards again only after proof that it did not${when}`,
    { orderId },
  )
}
