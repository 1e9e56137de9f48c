// Decides the next action after a failed step, and after the end of an attempt to buy a slot.

import { Failure } from '../../errors.ts'
import { listSlotOrders } from '../../journal/batches/slots.ts'
import { findCause, type RefusedCall } from '../../operations/read-failures.ts'
import { type BatchEnd, type BatchRun, recordTrouble, type SlotEnd, type SlotQueue } from './batch-run.ts'

/** Consecutive failures before this run gives up: of one slot, or of all slots without a confirmed order. */
const maxFailures = 12
const busyMs = 1_000
/** For the confirmed orders of other runs. */
const lookAgainMs = 10_000
/** A service without a usable response to confirm must not get all orders of the batch. */
const maxUnknownInARow = 8

export type RunState = ReturnType<typeof createRunState>

export const createRunState = (queue: SlotQueue) => ({
  queue,
  inProgress: new Set<number>(),
  givenUp: new Set<number>(),
  /** The slots with an unknown outcome, and whether they had a confirmed order then. */
  setAside: new Map<number, boolean>(),
  /** How often such a slot was tried again before the end of the run. */
  triedAgain: new Map<number, number>(),
  failures: new Map<number, number>(),
  failuresInARow: 0,
  failedAt: Number.NEGATIVE_INFINITY,
  /** The number of confirmed orders at that time. */
  confirmed: 0,
  /** New unknown outcomes without a confirmed order between them. */
  unknownInARow: 0,
  /** The number of confirmed orders when the last unknown outcome was counted. */
  confirmedCountAtUnknown: 0,
  /** The slots that other runs work on, and when to look at each again. */
  left: new Map<number, number>(),
  /** The slot number where this run starts to search for slots. */
  from: 0,
  hasSettled: false,
  end: undefined as BatchEnd | undefined,
  /** Why this run gave up its first slot. */
  problem: undefined as Failure | undefined,
  defect: undefined as unknown,
})

/** Ends the run after an error outside the steps of a slot. A defect is thrown when the run has ended. */
export const recordError = (state: RunState, error: unknown): void => {
  if (error instanceof Failure) state.end ??= { kind: 'stopped', reason: error }
  else {
    state.defect ??= error
    state.end ??= { kind: 'interrupted' }
  }
}

/** Whether a different process settled the outcome of a slot that was set aside. */
export const isSettledElsewhere = async ({ session, batch }: BatchRun, { setAside }: RunState) => {
  for (const [slot, wasConfirmed] of setAside) {
    const orders = await listSlotOrders(session.journal.read, batch.number, slot)
    if (orders.some(({ standing }) => standing === 'confirmed') !== wasConfirmed) return true
  }
  return false
}

/** How an attempt to buy a slot ended. Times are by the monotonic clock. */
type Ended = { readonly slot: number; readonly startedAt: number; readonly end: SlotEnd }

export const applyEnd = (run: BatchRun, state: RunState, ended: Ended): void => {
  const { queue } = state
  const { counter, own, session } = run
  const { slot, end } = ended
  switch (end.kind) {
    case 'done':
      state.failuresInARow = 0
      counter.trouble = undefined
      own.delete(slot)
      return
    case 'later':
      applyFailure(run, state, ended, end.failure, end.ms)
      return
    case 'slow':
      giveUp(state, slot, end.failure)
      return
    case 'unknown':
      state.problem ??= end.failure
      if (end.isNew === true) {
        if (counter.confirmed > state.confirmedCountAtUnknown) state.unknownInARow = 0
        state.confirmedCountAtUnknown = counter.confirmed
        state.unknownInARow += 1
        if (state.unknownInARow >= maxUnknownInARow) state.end ??= { kind: 'stopped', reason: end.failure }
      }
      state.setAside.set(slot, end.isConfirmed)
      return
    case 'taken':
      own.delete(slot)
      state.left.set(slot, session.clock.monotonic() + busyMs)
      // The next slots are probably taken, too.
      queue.dropReady()
      state.from = 1 + Math.floor(run.random() * run.batch.lastSlot)
      return
    case 'waiting':
      state.left.set(slot, session.clock.monotonic() + lookAgainMs)
      return
    case 'interrupted':
      return
    case 'stopped':
      state.end ??= end
  }
}

const applyFailure = (run: BatchRun, state: RunState, ended: Ended, failure: Failure, ms: number) => {
  const { counter, session } = run
  const { slot, startedAt } = ended
  if (failure.kind === 'unavailable') recordTrouble(counter, failure, session.clock.now())
  if (counter.confirmed > state.confirmed) state.failuresInARow = 0
  state.confirmed = counter.confirmed
  // A duplicate means that a different process won the slot. Attempts that were in progress at the last failure fail
  // for the same reason.
  if (failure.kind !== 'duplicate' && startedAt >= state.failedAt) {
    state.failedAt = session.clock.monotonic()
    state.failuresInARow += 1
  }
  if (state.failuresInARow >= maxFailures) {
    state.end ??= { kind: 'stopped', reason: failure }
    return
  }
  const failures = (state.failures.get(slot) ?? 0) + 1
  state.failures.set(slot, failures)
  if (failures >= maxFailures) giveUp(state, slot, failure)
  else state.queue.postpone(slot, Math.max(ms, Math.min(200 * 2 ** failures, 10_000)))
}

const giveUp = (state: RunState, slot: number, failure: Failure): void => {
  state.problem ??= failure
  state.givenUp.add(slot)
}

const shortWaitMs = 1_000
const longWaitMs = 5_000

/** Returns how the attempt ends after a failed step. */
export const judgeFailure = ({ session }: BatchRun, error: unknown): SlotEnd => {
  if (!(error instanceof Failure)) throw error
  const { openCall, refused } = findCause(error)
  // A different run has taken the slot, or the order, because this run was slow.
  if (error.reason === 'slot-taken' || openCall !== undefined) return { kind: 'taken' }
  if (error.reason === 'batch-cancelled') return { kind: 'stopped', reason: 'cancelled' }
  if (error.reason === 'over-cap') return { kind: 'stopped', reason: 'cap' }
  const { budget } = error.details
  switch (error.kind) {
    case 'interrupted':
    case 'terminated':
      return { kind: 'interrupted' }
    case 'not-approved':
      if (error.details.role !== undefined) return { kind: 'stopped', reason: error }
      return budget === undefined
        ? { kind: 'stopped', reason: 'approval' }
        : { kind: 'stopped', reason: 'budget', budget }
    case 'unknown':
      return session.interrupted.aborted
        ? { kind: 'interrupted' }
        : { kind: 'unknown', failure: error, isConfirmed: false, isNew: true }
    case 'duplicate':
      return { kind: 'later', ms: shortWaitMs, failure: error }
    // The pace has recorded the failure and waits longer each time.
    case 'unavailable':
      return { kind: 'later', ms: 0, failure: error }
    case 'expired':
      return { kind: 'later', ms: longWaitMs, failure: error }
    case 'refused':
      return refused === undefined
        ? { kind: 'later', ms: longWaitMs, failure: error }
        : judgeRefusal(error, refused)
    default:
      return { kind: 'stopped', reason: error }
  }
}

const judgeRefusal = (failure: Failure, { operation, outcome }: RefusedCall): SlotEnd => {
  const { refusal, status } = outcome
  if (refusal === 'insufficient-funds') return { kind: 'stopped', reason: 'funds' }
  if (status === 429 || status === 503) return { kind: 'later', ms: 0, failure }
  // Other orders may work. A create that the service refused concerns the account or orderctl itself.
  return operation === 'create'
    ? { kind: 'stopped', reason: failure }
    : { kind: 'later', ms: longWaitMs, failure }
}
