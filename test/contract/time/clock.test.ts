// Sleeps and time limits: when they end, and what they reject with.
import { describe, expect, test } from 'vitest'
import { createAlarm, DeadlineError, unlessAborted, within } from '../../../src/contract/time.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

type Step = 'ring' | 'abort' | 'sleep' | 'wait'

/** How each sleep ended, and when, after steps such as `sleep 1000, wait 10, ring`. */
const play = async (text: string) => {
  const clock = createManualClock(0)
  const alarm = createAlarm(clock)
  const stopping = new AbortController()
  const ends: string[] = []
  const work: Readonly<Record<Step, (ms: number) => void>> = {
    ring: () => alarm.ring(),
    abort: () => stopping.abort(),
    sleep: (ms) =>
      void alarm
        .sleep(ms, stopping.signal)
        .then((wasRung) => ends.push(`${wasRung ? 'rung' : 'over'} at ${clock.monotonic()}`)),
    wait: (ms) => clock.advance(ms),
  }
  for (const [step, ms] of text.split(', ').map((each) => each.split(' '))) {
    work[step as Step](Number(ms))
    if (step === 'wait') await turnEventLoop()
  }
  return { ends: ends.join(', '), sleepers: clock.sleepers.size }
}

test.each([
  ['sleep 1000, wait 999', '', 1],
  ['sleep 1000, wait 999, wait 1', 'over at 1000', 0],
  ['sleep 1000, wait 10, ring, ring, wait 0, sleep 100, wait 100', 'rung at 10, over at 110', 0],
  // It does not begin if the alarm has rung since the last one.
  ['ring, sleep 1000, wait 0', 'rung at 0', 0],
  ['sleep 1000, abort, wait 0, sleep 1000, wait 0', 'over at 0, over at 0', 0],
])('after %s, the sleeps are %j', async (steps, ends, sleepers) => {
  expect(await play(steps)).toEqual({ ends, sleepers })
})

describe('a time limit', () => {
  const never = new Promise<string>(() => {})
  const start = (outer?: AbortSignal, createReason?: () => Error) => {
    const clock = createManualClock(0)
    const result = within(
      clock,
      1_000,
      outer,
      (limited) => unlessAborted(limited, never),
      createReason,
    ).catch((error) => error)
    return { clock, result }
  }

  test('rejects when the time is over, and not before', async () => {
    const { clock, result } = start()
    clock.advance(999)
    await turnEventLoop()
    expect(await Promise.race([result, 'pending'])).toBe('pending')
    clock.advance(1)
    expect(await result).toEqual(new DeadlineError('timed out after 1 s'))
  })

  test('can have a reason of its own, or ends early with that of an outer signal', async () => {
    const { clock, result } = start(undefined, () => new Error('too late'))
    clock.advance(1_000)
    const outer = new AbortController()
    const early = start(outer.signal)
    outer.abort('SIGINT')
    const late = start(outer.signal)
    expect(await Promise.all([result, early.result, late.result])).toEqual([
      new Error('too late'),
      'SIGINT',
      'SIGINT',
    ])
  })

  test('leaves nothing behind if the work ends in time', async () => {
    const clock = createManualClock(0)
    const signals: AbortSignal[] = []
    const result = await within(clock, 1_000, undefined, async (limited) => {
      signals.push(limited)
      return 'done'
    })
    clock.advance(1_000)
    await turnEventLoop()
    expect([result, clock.sleepers.size, signals[0]?.aborted]).toEqual(['done', 0, false])
  })
})
