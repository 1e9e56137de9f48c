// Buys a batch: works on several slots at once, until all are done, the batch stops, or only unknown outcomes are left.
import { Failure } from '../../errors.ts'
import { createSpentFailure } from '../failures/outcome-failures.ts'
import { createChangeReader, createObserver } from '../observe.ts'
import { waitMs } from '../view.ts'
import { applyEnd, createRunState, isSettledElsewhere, type RunState, recordError } from './apply-end.ts'
import { type BatchEnd, type BatchRun, type BatchSetup, recordTrouble } from './batch-run.ts'
import { buySlot } from './buy-slot.ts'
import { openSlotLeases } from './slot-leases.ts'
import { createSlotQueue } from './slot-queue.ts'

const settleEveryMs = 30_000
/** A cancelled batch is noticed after at most this time. */
const checkEveryMs = 1_000
/** While so many confirms have no response, no other order is started. */
const maxReleased = 8
/** An order that cannot be read for longer is left to a later run, because it holds up others. */
const unreadableMs = 2 * 60_000

/** Other processes may run the batch at the same time. Waits for the slots that they buy. */
export const buySlots = async (setup: BatchSetup): Promise<BatchEnd> => {
  const { session, pace, counter, random } = setup
  const { clock, interrupted } = session
  const observer = createObserver({
    ...session,
    random,
    ready: pace.ready,
    concurrency: pace.limit,
    readChanged: createChangeReader(session),
    firstIntervalMs: 250,
    waitsFirst: true,
    isConfirmed: true,
    onRead: (orderId, { response }) => {
      const problem = response.kind === 'done' ? undefined : createSpentFailure(response, orderId)
      recordTrouble(counter, problem, clock.now())
      return false
    },
    isOver: (_, { view: { reading, wait } }, doubtMs) =>
      wait === 'none' ||
      reading === 'stranger' ||
      doubtMs > (reading === 'unreadable' ? unreadableMs : waitMs[wait]),
  })
  await using leases = await openSlotLeases(setup)
  const run = { ...setup, observer, leases, refused: new Map() }
  const state = createRunState(createSlotQueue(clock))
  const claims = createSlotClaims(run, state)
  // If the journal fails here, the responses to calls in progress are still recorded.
  await startSlots(run, state, claims).catch((error) => recordError(state, error))
  await claims.end().catch((error) => recordError(state, error))
  // After a stop, the orders in flight become final first.
  const isStoppedAtLimit = state.end?.kind === 'stopped' && !(state.end.reason instanceof Failure)
  if (!isStoppedAtLimit) observer.stop()
  interrupted.addEventListener('abort', observer.stop)
  await state.queue.finish().finally(() => interrupted.removeEventListener('abort', observer.stop))
  await observer.finish()
  if (state.defect !== undefined) throw state.defect
  return state.end ?? { kind: 'ended', failure: state.problem }
}

/** Returns when no slot is left to start, or the batch stops. Slots may still be in progress. */
const startSlots = async (run: BatchRun, state: RunState, claims: SlotClaims): Promise<void> => {
  const { session, batches, batch, pace, leases } = run
  const { clock, interrupted } = session
  const { queue, setAside } = state
  let settledAt = clock.monotonic()
  let checkedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    if (interrupted.aborted) state.end ??= { kind: 'interrupted' }
    if (clock.monotonic() - checkedAt >= checkEveryMs) {
      checkedAt = clock.monotonic()
      const isCancelled = (await batches.getBatch(batch.number))?.cancelledAt !== undefined
      if (isCancelled) state.end ??= { kind: 'stopped', reason: 'cancelled' }
    }
    if (state.end !== undefined) return
    if (setAside.size > 0 && clock.monotonic() - settledAt >= settleEveryMs) {
      settledAt = clock.monotonic()
      setAside.clear()
    }
    claims.claimAhead()
    const canStart = queue.countActive() < pace.limit() && queue.countReleased() < maxReleased
    const slot = canStart ? queue.next() : undefined
    if (slot !== undefined) {
      await pace.ready(interrupted)
      if (leases.holds(slot)) startSlot(run, state, slot)
    } else if (!queue.isIdle() || claims.isClaiming()) await queue.wait(checkEveryMs, interrupted)
    else if (!(await findRemaining(run, state, claims))) return
  }
}

/** For an idle queue, which stays idle meanwhile. Returns whether slots are left that this run may buy. */
const findRemaining = async (run: BatchRun, state: RunState, claims: SlotClaims): Promise<boolean> => {
  const { session, leases } = run
  if (await claims.claimRest()) return true
  // Other workers hold slots that this run may buy if those workers stop.
  if (await leases.hasSlotsLeft([...state.setAside.keys(), ...state.givenUp])) {
    await run.onWaiting()
    await session.clock.sleep(checkEveryMs, session.interrupted)
    return true
  }
  if (state.setAside.size === 0) return false
  if (state.hasSettled && !(await isSettledElsewhere(run, state))) return false
  // One last try, now that nothing else is left to do.
  state.hasSettled = true
  state.setAside.clear()
  return true
}

const startSlot = (run: BatchRun, state: RunState, slot: number): void => {
  const { queue, inProgress } = state
  const startedAt = run.session.clock.monotonic()
  run.counter.inFlight += 1
  inProgress.add(slot)
  queue.start((release) =>
    buySlot(run, slot, release)
      .finally(() => {
        run.counter.inFlight -= 1
        inProgress.delete(slot)
      })
      .then((end) => applyEnd(run, state, { slot, startedAt, end }))
      .catch((error) => recordError(state, error)),
  )
}

/** After a claim that found too few slots. */
const claimAgainMs = 1_000
/** How many slots a run holds for each order in progress. */
const slotsPerOrder = 2

type SlotClaims = ReturnType<typeof createSlotClaims>

const createSlotClaims = ({ leases, pace, session }: BatchRun, state: RunState) => {
  const { queue, setAside, givenUp, inProgress } = state
  const { clock } = session
  let claiming: Promise<void> | undefined
  let dueAt = Number.NEGATIVE_INFINITY

  const claim = async (): Promise<number> => {
    if (state.hasNewSlots) {
      state.hasNewSlots = false
      await leases.findMore()
    }
    const count = pace.limit() * slotsPerOrder - queue.countReady()
    const claimed = await leases.claim(count, [...setAside.keys(), ...givenUp, ...inProgress])
    if (claimed.length < count) dueAt = clock.monotonic() + claimAgainMs
    queue.add(claimed)
    return claimed.length
  }

  return {
    isClaiming: (): boolean => claiming !== undefined,

    /** Claims in the background if the queue is short, so that no order waits for it. */
    claimAhead: (): void => {
      const isShort = !queue.isIdle() && queue.countReady() < pace.limit()
      const isDue = clock.monotonic() >= dueAt || state.hasNewSlots
      if (!isShort || !isDue) return
      claiming ??= claim()
        .catch((error) => recordError(state, error))
        .then(() => {
          claiming = undefined
          queue.notify()
        })
    },

    /** For an idle queue. Returns whether it has slots again. */
    claimRest: async (): Promise<boolean> => {
      if ((await claim()) > 0) return true
      state.hasNewSlots = true
      return (await claim()) > 0
    },

    /** Releases the slots that are not in progress. */
    end: async (): Promise<void> => {
      await claiming
      for (const slot of queue.takeWaiting()) leases.giveBack(slot)
      await leases.release()
    },
  }
}
