// Sleeps and time limits: when they end, and what they reject with.
import { describe, expect, test } from 'vitest'
import { createAlarm, DeadlineError, unlessAborted, within } from '../../src/contract/clock.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { turnEventLoop } from '../support/wait-until.ts'

const open = () => {
  const clock = createManualClock(0)
  const alarm = createAlarm(clock)
  const stopping = new AbortController()
  const ends: [wasRung: boolean, at: number][] = []
  const sleep = (ms: number): void =>
    void alarm.sleep(ms, stopping.signal).then((wasRung) => ends.push([wasRung, clock.monotonic()]))
  const advance = async (ms: number): Promise<void> => {
    clock.advance(ms)
    await turnEventLoop()
  }
  return { clock, alarm, stopping, ends, sleep, advance }
}

test('it lasts until its end if nothing happens', async () => {
  const { ends, sleep, advance } = open()
  sleep(1_000)
  await advance(999)
  expect(ends).toEqual([])
  await advance(1)
  expect(ends).toEqual([[false, 1_000]])
})

test('it ends when the alarm rings, and the next one lasts', async () => {
  const { alarm, ends, sleep, advance, clock } = open()
  sleep(1_000)
  await advance(10)
  alarm.ring()
  alarm.ring()
  await advance(0)
  sleep(100)
  await advance(100)
  expect(ends).toEqual([
    [true, 10],
    [false, 110],
  ])
  expect(clock.sleepers.size).toBe(0)
})

test('it does not begin if the alarm has rung since the last one', async () => {
  const { alarm, ends, sleep, advance } = open()
  alarm.ring()
  sleep(1_000)
  await advance(0)
  expect(ends).toEqual([[true, 0]])
})

test('it ends when the signal aborts', async () => {
  const { stopping, ends, sleep, advance } = open()
  sleep(1_000)
  stopping.abort()
  await advance(0)
  sleep(1_000)
  await advance(0)
  expect(ends).toEqual([
    [false, 0],
    [false, 0],
  ])
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

  test('can have a reason of its own', async () => {
    const { clock, result } = start(undefined, () => new Error('too late'))
    clock.advance(1_000)
    expect(await result).toEqual(new Error('too late'))
  })

  test('ends early with the reason of an outer signal', async () => {
    const outer = new AbortController()
    const { result } = start(outer.signal)
    outer.abort('SIGINT')
    expect([await result, await start(outer.signal).result]).toEqual(['SIGINT', 'SIGINT'])
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
