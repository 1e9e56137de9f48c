// Buys a batch: works on several slots at once, until all are done, the batch stops, or only unknown outcomes are left.

import { Failure } from '../../errors.ts'
import { getBatch } from '../../journal/batches/batches.ts'
import {
  findOpenSlots,
  hasCreatedOrder,
  hasSlotsLeft,
  releaseOrders,
  type SlotQuery,
} from '../../journal/batches/slots.ts'
import { waitMs } from '../../operations/fates.ts'
import { createChangeReader, createObserver } from '../../operations/observe.ts'
import { createSpentFailure } from '../../operations/read-failures.ts'
import { applyEnd, createRunState, isSettledElsewhere, type RunState, recordError } from './apply-end.ts'
import {
  type BatchEnd,
  type BatchRun,
  type BatchSetup,
  createDeliveryLimit,
  createSlotQueue,
  mostWaiting,
  recordTrouble,
} from './batch-run.ts'
import { buySlot } from './buy-slot.ts'

const settleEveryMs = 30_000
const mostTriedAgain = 3
/** A batch that is cancelled, or stopped by a different run, is noticed after at most this time. */
const checkEveryMs = 1_000
/** While so many confirms have no response, no other order is started. */
const maxSettling = 8
/** An order that cannot be read for longer is left to a later run, because it delays others. */
const unreadableMs = 2 * 60_000

/** Other runs may buy the batch at the same time. Waits for the slots that they buy. */
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
  const deliveries = createDeliveryLimit()
  const run: BatchRun = { ...setup, observer, deliveries, own: new Map(), refused: new Map() }
  const state = createRunState(createSlotQueue(clock))
  counter.countCalling = () => state.queue.count('calling') + state.queue.count('settling')
  const finder = createSlotFinder(run, state)
  // If the journal fails here, the responses to calls in progress are still recorded.
  await startSlots(run, state, finder).catch((error) => recordError(state, error))
  await finder.end()
  // After a stop, the orders in flight become final first.
  const isStoppedAtLimit = state.end?.kind === 'stopped' && !(state.end.reason instanceof Failure)
  if (!isStoppedAtLimit) observer.stop()
  interrupted.addEventListener('abort', observer.stop)
  await state.queue.finish().finally(() => interrupted.removeEventListener('abort', observer.stop))
  await observer.finish()
  await releaseOwn(run)
  if (state.defect !== undefined) throw state.defect
  return state.end ?? { kind: 'ended', failure: state.problem }
}

/** Other runs take over what could not be released when its time is over. */
const releaseOwn = async ({ session, own }: BatchRun): Promise<void> => {
  if (own.size === 0) return
  const release = session.journal.write((access) => releaseOrders(access, [...own.values()]))
  await release.catch((error) => {
    if (!(error instanceof Failure)) throw error
  })
}

/** Returns when no slot is left to start, or the batch stops. Slots may still be in progress. */
const startSlots = async (run: BatchRun, state: RunState, finder: SlotFinder): Promise<void> => {
  const { session, batch, pace } = run
  const { clock, interrupted, journal } = session
  const { queue, setAside } = state
  run.counter.hasOrder = await hasCreatedOrder(journal.read, batch.number)
  let settledAt = clock.monotonic()
  let checkedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    if (interrupted.aborted) state.end ??= { kind: 'interrupted' }
    if (clock.monotonic() - checkedAt >= checkEveryMs) {
      checkedAt = clock.monotonic()
      const { cancelledAt, stopped } = (await getBatch(journal.read, batch.number)) ?? {}
      if (cancelledAt !== undefined) state.end ??= { kind: 'stopped', reason: 'cancelled' }
      // A different run has seen an overcharged order.
      if (stopped === 'charge') state.end ??= { kind: 'stopped', reason: 'charge' }
    }
    if (state.end !== undefined) return
    if (setAside.size > 0 && clock.monotonic() - settledAt >= settleEveryMs) {
      settledAt = clock.monotonic()
      settleAgain(state)
    }
    finder.findAhead()
    const slot = canStart(run, state) ? queue.next() : undefined
    if (slot !== undefined) {
      await pace.ready(interrupted)
      startSlot(run, state, slot)
    } else if (!queue.isIdle() || finder.isBusy()) await queue.wait(checkEveryMs, interrupted)
    else if (!(await findRemaining(run, state, finder))) return
  }
}

/**
 * An attempt can take longer than `settleEveryMs`, so a slot is tried again only a few times before the end of the run.
 * For a confirmed order, an attempt takes much longer.
 */
const settleAgain = ({ setAside, triedAgain }: RunState): void => {
  for (const [slot, isConfirmed] of setAside) {
    const count = triedAgain.get(slot) ?? 0
    if (isConfirmed || count >= mostTriedAgain) continue
    triedAgain.set(slot, count + 1)
    setAside.delete(slot)
  }
}

/**
 * `--parallel` limits the orders with a call in flight. Orders that wait for their cards have a separate limit. Until the
 * service has created an order, one is tried at a time: a refusal may mean that all rows are wrong.
 */
const canStart = ({ pace, deliveries, counter }: BatchRun, { queue, inProgress }: RunState): boolean => {
  const calling = queue.count('calling')
  return (
    (counter.hasOrder || inProgress.size === 0) &&
    calling < pace.limit() &&
    queue.count('settling') < maxSettling &&
    calling + queue.count('delivering') < deliveries.limit()
  )
}

/** For an idle queue, which stays idle meanwhile. Returns whether slots are left that this run may buy. */
const findRemaining = async (run: BatchRun, state: RunState, finder: SlotFinder): Promise<boolean> => {
  const { session, batch } = run
  if (await finder.findRest()) return true
  const except = [...state.setAside.keys(), ...state.givenUp]
  // Other runs buy slots that this one may buy if those runs stop.
  if (await hasSlotsLeft(session.journal.read, batch.number, except)) {
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
  inProgress.add(slot)
  queue.start((enter) =>
    buySlot(run, slot, enter)
      .then((end) => applyEnd(run, state, { slot, startedAt, end }))
      .catch((error) => recordError(state, error))
      // After its end is known, because the loop may start another slot at once.
      .finally(() => inProgress.delete(slot)),
  )
}

/** After a search that found too few slots. */
const findAgainMs = 1_000
/** How many slots a search returns at least. Other runs may take them first. */
const fewestFound = 32
const slotsPerOrder = 2

type SlotFinder = ReturnType<typeof createSlotFinder>

/** Finds slots for the queue. The order of a slot claims it, so a slot that is only queued belongs to no run. */
const createSlotFinder = ({ pace, session, batch }: BatchRun, state: RunState) => {
  const { queue, setAside, givenUp, inProgress, left } = state
  const { clock, journal } = session
  let searching: Promise<void> | undefined
  let dueAt = Number.NEGATIVE_INFINITY
  let isFirst = true

  const search = async (leaves: SlotQuery['leaves']): Promise<number> => {
    const now = clock.monotonic()
    for (const [slot, at] of left) if (at <= now) left.delete(slot)
    const except = [...left.keys(), ...setAside.keys(), ...givenUp, ...inProgress, ...queue.listWaiting()]
    const count = leaves === 'held' ? mostWaiting : Math.max(fewestFound, pace.limit() * slotsPerOrder)
    const { from } = state
    const found = await findOpenSlots(journal.read, batch.number, { leaves, count, from, except })
    if (found.length < count) {
      state.from = 0
      if (from === 0) dueAt = clock.monotonic() + findAgainMs
    }
    queue.add(found)
    return found.length
  }

  return {
    isBusy: (): boolean => searching !== undefined,

    /** Searches in the background if the queue is short, so that no order waits for it. */
    findAhead: (): void => {
      const isShort = !queue.isIdle() && queue.countReady() < pace.limit()
      if (!isShort || clock.monotonic() < dueAt) return
      searching ??= search('all')
        .catch((error) => recordError(state, error))
        .then(() => {
          searching = undefined
          queue.notify()
        })
    },

    /** For an idle queue. Returns whether it has slots again. Checks the confirmed orders of other runs, too. */
    findRest: async (): Promise<boolean> => {
      const wasFirst = isFirst
      isFirst = false
      // The confirmed orders of a run that ended come first.
      return (wasFirst && (await search('held')) > 0) || (await search('none')) > 0
    },

    end: (): Promise<void> => searching ?? Promise.resolve(),
  }
}
