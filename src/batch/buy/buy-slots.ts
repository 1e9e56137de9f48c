// Buys a batch: works on several slots at once, until all are done, the batch stops, or only unknown outcomes are left.

import { createAlarm } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import { getBatch, hasCreatedOrder } from '../../journal/batches/batches.ts'
import { findOpenSlots, hasSlotsLeft, releaseOrders, type SlotQuery } from '../../journal/batches/slots.ts'
import { createSpentFailure } from '../../operations/failures.ts'
import { createObserver } from '../../operations/observe.ts'
import { waitMs } from '../../operations/view.ts'
import { type BatchRun, buySlot } from './buy-slot.ts'
import {
  applyEnd,
  type BatchEnd,
  beginSearch,
  chooseMove,
  endSearch,
  enterStage,
  listSetAside,
  listSlots,
  needsSlots,
  recordTrouble,
  type Stage,
  tryLast,
} from './queue.ts'

/** A batch that a different run has stopped is noticed after at most this time. The journal refuses a cancelled one. */
const checkEveryMs = 1_000
/** An order that cannot be read for longer is left to a later run, because it delays others. */
const unreadableMs = 2 * 60_000

type BatchSetup = Omit<BatchRun, 'observer'> & {
  /** At least 0 and less than 1. */
  readonly random: () => number
  /** Called each time that the run waits because other runs buy all slots that are left. */
  readonly onWaiting: () => Promise<void>
}

/** Other runs may buy the batch at the same time. Waits for the slots that they buy. */
export const buySlots = async (setup: BatchSetup): Promise<BatchEnd> => {
  const { session, pace, queue, random } = setup
  const { clock, interrupted } = session
  const observer = createObserver({
    ...session,
    random,
    ready: pace.ready,
    concurrency: pace.limit,
    firstIntervalMs: 250,
    waitsFirst: true,
    isConfirmed: true,
    onRead: (orderId, { response }) => {
      const problem = response.kind === 'done' ? undefined : createSpentFailure(response, orderId)
      recordTrouble(queue, problem, clock.now())
      return false
    },
    isOver: (_, { view: { reading, wait } }, sinceOpenMs) =>
      wait === 'none' ||
      reading === 'stranger' ||
      sinceOpenMs > (reading === 'unreadable' ? unreadableMs : waitMs[wait]),
  })
  const run: Run = { ...setup, observer }
  const work = createWork(run)
  // If the journal fails here, the responses to calls in progress are still recorded.
  await startSlots(run, work).catch(work.fail)
  // After a stop, the orders in flight become final first.
  if (queue.end?.kind !== 'stopped') observer.stop()
  interrupted.addEventListener('abort', observer.stop)
  const defect = await work.finish().finally(() => interrupted.removeEventListener('abort', observer.stop))
  await observer.finish()
  await releaseOwn(run)
  if (defect !== undefined) throw defect
  return queue.end ?? { kind: 'ended', failure: queue.problem }
}

type Run = BatchSetup & BatchRun

/** Other runs take over what could not be released when its time is over. */
const releaseOwn = async ({ session, queue: { own } }: Run): Promise<void> => {
  if (own.size === 0) return
  const release = session.journal.write((access) => releaseOrders(access, [...own.values()]))
  await release.catch((error) => {
    if (!(error instanceof Failure)) throw error
  })
}

type Work = ReturnType<typeof createWork>

/** The attempts and searches in progress. An error ends the run. */
const createWork = ({ queue, session }: Run) => {
  const alarm = createAlarm(session.clock)
  const inProgress = new Set<Promise<void>>()
  let defect: unknown
  const fail = (error: unknown): void => {
    if (error instanceof Failure) queue.end ??= { kind: 'ended', failure: error }
    else {
      defect ??= error
      queue.end ??= { kind: 'interrupted' }
    }
  }
  return {
    fail,
    start: (task: Promise<unknown>): void => {
      const done = task
        .then(() => {}, fail)
        .then(() => {
          inProgress.delete(done)
          alarm.ring()
        })
      inProgress.add(done)
    },
    /** Ends `wait`. */
    wake: alarm.ring,
    wait: (ms: number) => alarm.sleep(ms, session.interrupted),
    /** Returns a defect, if any. */
    finish: async (): Promise<unknown> => {
      while (inProgress.size > 0) await Promise.all(inProgress)
      return defect
    },
  }
}

/** Returns when no slot is left to start, or the batch stops. Slots may still be in progress. */
const startSlots = async (run: Run, work: Work): Promise<void> => {
  const { session, batch, pace, queue } = run
  const { clock, interrupted, journal } = session
  queue.hasOrder = await hasCreatedOrder(journal.read, batch.number)
  // The confirmed orders of a run that ended come first.
  await search(run, 'held')
  let checkedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    if (interrupted.aborted) queue.end ??= { kind: 'interrupted' }
    if (clock.monotonic() - checkedAt >= checkEveryMs) {
      checkedAt = clock.monotonic()
      const { stopped } = (await getBatch(journal.read, batch.number)) ?? {}
      // A different run has seen an overcharged order.
      if (stopped === 'charge') queue.end ??= { kind: 'stopped', reason: 'charge' }
    }
    if (needsSlots(queue, clock.monotonic(), pace.limit())) work.start(search(run, 'all'))
    const move = chooseMove(queue, clock.monotonic(), pace.limit())
    switch (move.do) {
      case 'end':
        return
      case 'buy':
        await pace.ready(interrupted)
        // An attempt that ended during this wait may have ended the batch.
        if (queue.end !== undefined) break
        work.start(attempt(run, move.slot, work))
        break
      case 'wait':
        await work.wait(move.ms)
        break
      case 'search':
        if (!(await findRemaining(run))) return
    }
  }
}

const attempt = async (run: Run, slot: number, { wake }: Work): Promise<void> => {
  const { queue, random } = run
  const { clock } = run.session
  const startedAt = clock.monotonic()
  const enter = (stage: Stage): void => {
    enterStage(queue, slot, stage)
    wake()
  }
  enter('calling')
  const end = await buySlot({ ...run, slot, enter })
  applyEnd(queue, slot, end, { startedAt, now: clock.monotonic(), at: clock.now(), random })
}

/** The order of a slot claims it, so a slot that is only in the queue belongs to no run. Returns how many it found. */
const search = async (
  { session, batch, pace, queue }: Run,
  leavesOut: SlotQuery['leavesOut'],
): Promise<number> => {
  const { clock, journal } = session
  const query = beginSearch(queue, { leavesOut, now: clock.monotonic(), parallel: pace.limit() })
  const found = await findOpenSlots(journal.read, batch.number, query)
  endSearch(queue, query, found, clock.monotonic())
  return found.length
}

/** For an idle queue. Returns whether slots are left that this run may buy. */
const findRemaining = async (run: Run): Promise<boolean> => {
  const { session, batch, queue } = run
  // Checks the confirmed orders of other runs, too.
  if ((await search(run, 'none')) > 0) return true
  // Other runs buy slots that this one may buy if those runs stop.
  if (await hasSlotsLeft(session.journal.read, batch.number, listSetAside(queue))) {
    await run.onWaiting()
    await session.clock.sleep(checkEveryMs, session.interrupted)
    return true
  }
  if (listSlots(queue, 'unproven', 'unread').length === 0) return false
  if (queue.hasTriedLast) return false
  tryLast(queue)
  return true
}
