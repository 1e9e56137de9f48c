// Buys a batch: works on several slots at once, until all are done, the batch stops, or only unknown outcomes are left.
import { Failure } from '../../errors.ts'
import type { StopReason } from '../../journal/batches/batch.ts'
import type { BatchRun } from './batch-run.ts'
import { buySlot, type SlotEnd } from './buy-slot.ts'
import { createSlotQueue, type SlotQueue } from './slot-queue.ts'

export type BatchEnd =
  /** No slot is left that this run can buy. */
  | { readonly kind: 'ended'; readonly failure?: Failure }
  | { readonly kind: 'stopped'; readonly reason: StopReason | 'cancelled' | Failure }
  | { readonly kind: 'interrupted' }

/** Failures of one slot in a row, or of all slots without a success, before they are given up in this run. */
const maxFailures = 12
const settleEveryMs = 30_000
/** A cancelled batch is noticed after at most this time. */
const checkEveryMs = 1_000

export const runBatch = async (run: BatchRun): Promise<BatchEnd> => {
  const { deps, batches, batch } = run
  const queue = createSlotQueue(batches.listOpenSlots(batch.number), deps.clock)
  const state: State = { queue, failuresInARow: 0 }
  let settledAt = deps.clock.monotonic()
  let checkedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    if (deps.interrupted.aborted) state.end ??= { kind: 'interrupted' }
    if (deps.clock.monotonic() - checkedAt >= checkEveryMs) {
      checkedAt = deps.clock.monotonic()
      const isCancelled = batches.getBatch(batch.number)?.cancelledAt !== undefined
      if (isCancelled) state.end ??= { kind: 'stopped', reason: 'cancelled' }
    }
    if (state.end !== undefined) break
    if (queue.countUnknown() > 0 && deps.clock.monotonic() - settledAt >= settleEveryMs) {
      settledAt = deps.clock.monotonic()
      queue.resumeUnknown()
    }
    const slot = queue.countActive() < run.pace.limit() ? queue.next() : undefined
    if (slot !== undefined) {
      await run.pace.ready(deps.interrupted)
      startSlot(run, state, slot)
      continue
    }
    if (queue.isIdle()) {
      if (queue.countUnknown() === 0 || state.hasSettled === true) break
      // One last try, now that nothing else is left to do.
      state.hasSettled = true
      queue.resumeUnknown()
      continue
    }
    await queue.wait(checkEveryMs, deps.interrupted)
  }
  // After a stop, the orders in flight become final first.
  if (!isStoppedAtLimit(state.end)) run.poller.stop()
  const stopPolling = (): void => run.poller.stop()
  deps.interrupted.addEventListener('abort', stopPolling)
  await queue.finish().finally(() => deps.interrupted.removeEventListener('abort', stopPolling))
  if (state.defect !== undefined) throw state.defect
  return state.end ?? { kind: 'ended', ...(state.problem === undefined ? {} : { failure: state.problem }) }
}

const isStoppedAtLimit = (end: BatchEnd | undefined): boolean =>
  end?.kind === 'stopped' && !(end.reason instanceof Failure)

type State = {
  readonly queue: SlotQueue
  failuresInARow: number
  hasSettled?: boolean
  end?: BatchEnd
  /** Why a slot was given up in this run. */
  problem?: Failure | undefined
  defect?: unknown
}

const startSlot = (run: BatchRun, state: State, slot: number): void => {
  const { queue } = state
  run.counter.inFlight += 1
  queue.start((release) =>
    buySlot(run, slot, release)
      .finally(() => {
        run.counter.inFlight -= 1
      })
      .then(
        (end) => applyEnd(state, slot, end),
        (error) => {
          state.defect ??= error
          state.end ??= { kind: 'interrupted' }
        },
      ),
  )
}

const applyEnd = (state: State, slot: number, end: SlotEnd): void => {
  const { queue } = state
  switch (end.kind) {
    case 'done':
      state.failuresInARow = 0
      return
    case 'split':
      state.failuresInARow = 0
      queue.add(end.slots)
      return
    case 'later':
      applyLater(state, slot, end)
      return
    case 'unknown':
      state.problem ??= end.failure
      queue.setAside(slot)
      return
    case 'interrupted':
      return
    case 'stopped':
      state.end ??= { kind: 'stopped', reason: end.reason }
  }
}

const applyLater = (
  state: State,
  slot: number,
  { ms, failure }: Extract<SlotEnd, { kind: 'later' }>,
): void => {
  if (failure === undefined) {
    state.queue.postpone(slot, ms)
    return
  }
  state.failuresInARow += 1
  if (state.failuresInARow >= maxFailures) {
    state.end ??= { kind: 'stopped', reason: failure }
    return
  }
  const failures = state.queue.countFailure(slot)
  if (failures >= maxFailures) {
    state.problem ??= failure
    return
  }
  state.queue.postpone(slot, Math.max(ms, Math.min(200 * 2 ** failures, 10_000)))
}
