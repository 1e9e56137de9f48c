// When a run of a batch gives up: after too many unknown outcomes or failures without a confirmed order between them.
import { expect, test } from 'vitest'
import { applyEnd, createRunState, judgeFailure } from '../../../src/batch/buy/apply-end.ts'
import {
  type BatchRun,
  createCounter,
  createSlotQueue,
  type SlotEnd,
} from '../../../src/batch/buy/batch-run.ts'
import { Failure } from '../../../src/errors.ts'
import { createClaimFailure, createSlotTakenFailure } from '../../../src/operations/send-failures.ts'
import { createManualClock } from '../../support/manual-clock.ts'

const failure = new Failure('unavailable', 'no response')
const unknown: SlotEnd = { kind: 'unknown', failure, isConfirmed: false }
const failed: SlotEnd = { kind: 'later', failure, ms: 0 }

const open = () => {
  const clock = createManualClock()
  const counter = createCounter()
  const state = createRunState(createSlotQueue(clock))
  const batch = { lastSlot: 9 }
  const run = { counter, batch, own: new Set(), random: () => 0, session: { clock } } as unknown as BatchRun
  /** Ends attempts, each of a different slot. Returns whether the run continues. */
  const endAll = (count: number, end: SlotEnd): boolean => {
    for (let slot = 1; slot <= count; slot += 1) {
      applyEnd(run, state, { slot, startedAt: clock.monotonic(), end })
      clock.advance(1)
    }
    return state.end === undefined
  }
  return { run, counter, state, endAll }
}

test.each<[string, SlotEnd, number]>([
  ['unknown outcomes', { ...unknown, isNew: true }, 8],
  ['failures', failed, 12],
])('too many %s in a row stop the run', (_title, end, most) => {
  const { counter, state, endAll } = open()
  expect(endAll(most - 1, end)).toBe(true)
  counter.confirmed += 1
  expect(endAll(most - 1, end)).toBe(true)
  expect(endAll(1, end)).toBe(false)
  expect(state.end).toEqual({ kind: 'stopped', reason: failure })
})

test('outcomes that were unknown before, and failures of other workers, stop no run', () => {
  const { endAll } = open()
  expect(endAll(20, unknown)).toBe(true)
  expect(endAll(20, { ...failed, failure: new Failure('duplicate', 'taken') })).toBe(true)
})

test('a slot that fails too often is given up', () => {
  const { counter, state, endAll } = open()
  for (let failures = 1; failures <= 12; failures += 1) {
    expect(state.givenUp.size).toBe(0)
    endAll(1, failed)
    counter.confirmed += 1
  }
  expect([...state.givenUp]).toEqual([1])
})

test('the first order that a cancelled batch refuses stops the run as cancelled', () => {
  const { run, state, endAll } = open()
  endAll(1, judgeFailure(run, createClaimFailure('changed', 'nothing was sent')))
  endAll(1, judgeFailure(run, createSlotTakenFailure(undefined)))
  expect(state.end).toBeUndefined()
  endAll(1, judgeFailure(run, createClaimFailure('cancelled', 'nothing was sent')))
  expect(state.end).toEqual({ kind: 'stopped', reason: 'cancelled' })
})

test('only an order over the cap stops the run at its cap', () => {
  const { run } = open()
  const stopped = new Failure('stopped', 'the order differs')
  expect(judgeFailure(run, new Failure('over-cap', 'over the cap'))).toEqual({
    kind: 'stopped',
    reason: 'cap',
  })
  expect(judgeFailure(run, stopped)).toEqual({ kind: 'stopped', reason: stopped })
})

test('the run knows what it waits for, since the first failure and until an order succeeds', () => {
  const { run, counter, endAll } = open()
  const { clock } = run.session
  const since = clock.now()
  endAll(1, failed)
  endAll(1, { ...failed, failure: new Failure('unavailable', 'connection refused') })
  expect(counter.trouble).toEqual({ reason: 'connection refused', since })
  endAll(1, { ...failed, failure: new Failure('duplicate', 'taken') })
  expect(counter.trouble?.reason).toBe('connection refused')
  endAll(1, { kind: 'done' })
  expect(counter.trouble).toBeUndefined()
})
