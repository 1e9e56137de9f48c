// A sleep ends after its time, when the alarm rings, or when its signal aborts.
import { expect, test } from 'vitest'
import { createAlarm } from '../../src/operations/alarm.ts'
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
