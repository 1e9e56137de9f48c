// Buys a batch: works on several slots at once, until all are done, the batch stops, or only unknown outcomes are left.
import { Failure } from '../../errors.ts'
import {
  addSlots,
  applyEnd,
  createRunState,
  isSettledElsewhere,
  type RunState,
  resumeUnknown,
} from './apply-end.ts'
import type { BatchEnd, BatchRun } from './batch-run.ts'
import { buySlot } from './buy-slot.ts'
import { createSlotQueue } from './slot-queue.ts'

const settleEveryMs = 30_000
/** A cancelled batch is noticed after at most this time. */
const checkEveryMs = 1_000
/** While so many confirms have no answer, no other order is started. */
const maxReleased = 8

export const runBatch = async (run: BatchRun): Promise<BatchEnd> => {
  const { deps, batches, batch, poller } = run
  const slots = await batches.listOpenSlots(batch.number)
  const queue = createSlotQueue(slots, deps.clock)
  const state = createRunState(queue, slots)
  // If the journal fails here, the answers to calls in progress are still recorded.
  await startSlots(run, state).catch((error) => {
    if (error instanceof Failure) state.end ??= { kind: 'stopped', reason: error }
    else state.defect ??= error
  })
  // After a stop, the orders in flight become final first.
  if (!isStoppedAtLimit(state.end)) poller.stop()
  const stopPolling = (): void => poller.stop()
  deps.interrupted.addEventListener('abort', stopPolling)
  await queue.finish().finally(() => deps.interrupted.removeEventListener('abort', stopPolling))
  await poller.finish()
  if (state.defect !== undefined) throw state.defect
  return state.end ?? { kind: 'ended', ...(state.problem === undefined ? {} : { failure: state.problem }) }
}

/** Returns when no slot is left to start, or the batch stops. Slots may still be in progress. */
const startSlots = async (run: BatchRun, state: RunState): Promise<void> => {
  const { deps, batches, batch, pace } = run
  const { queue } = state
  let settledAt = deps.clock.monotonic()
  let checkedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    if (deps.interrupted.aborted) state.end ??= { kind: 'interrupted' }
    if (deps.clock.monotonic() - checkedAt >= checkEveryMs) {
      checkedAt = deps.clock.monotonic()
      const isCancelled = (await batches.getBatch(batch.number))?.cancelledAt !== undefined
      if (isCancelled) state.end ??= { kind: 'stopped', reason: 'cancelled' }
    }
    if (state.end !== undefined) return
    if (queue.countUnknown() > 0 && deps.clock.monotonic() - settledAt >= settleEveryMs) {
      settledAt = deps.clock.monotonic()
      resumeUnknown(state)
    }
    const canStart = queue.countActive() < pace.limit() && queue.countReleased() < maxReleased
    const slot = canStart ? queue.next() : undefined
    if (slot !== undefined) {
      await pace.ready(deps.interrupted)
      startSlot(run, state, slot)
    } else if (queue.isIdle()) {
      if (!(await addRemaining(run, state))) return
    } else {
      // Nothing was awaited since the queue was read, so no slot has ended unnoticed.
      await queue.wait(checkEveryMs, deps.interrupted)
    }
  }
}

/** For an idle queue, which stays idle meanwhile. Returns whether it has slots again. */
const addRemaining = async (run: BatchRun, state: RunState): Promise<boolean> => {
  const { batches, batch } = run
  const open = await batches.listOpenSlots(batch.number)
  const added = open.filter((each) => !state.known.has(each))
  if (added.length > 0) {
    // Another process has split its slots, and may have been killed.
    addSlots(state, added)
    return true
  }
  if (state.queue.countUnknown() === 0) return false
  if (state.hasSettled === true && !(await isSettledElsewhere(run, state))) return false
  // One last try, now that nothing else is left to do.
  state.hasSettled = true
  resumeUnknown(state)
  return true
}

const isStoppedAtLimit = (end: BatchEnd | undefined): boolean =>
  end?.kind === 'stopped' && !(end.reason instanceof Failure)

const startSlot = (run: BatchRun, state: RunState, slot: number): void => {
  const { queue } = state
  const startedAt = run.deps.clock.monotonic()
  run.counter.inFlight += 1
  queue.start((release) =>
    buySlot(run, slot, release)
      .finally(() => {
        run.counter.inFlight -= 1
      })
      .then((end) => applyEnd(run, state, { slot, startedAt, end }))
      .catch((error) => {
        state.defect ??= error
        state.end ??= { kind: 'interrupted' }
      }),
  )
}
