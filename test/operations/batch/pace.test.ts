// The pace of a batch: when it halves and raises its limit, and how long it waits.
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/client/observe-transport.ts'
import { createPace } from '../../../src/operations/batch/pace.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

type Response = Omit<Attempt, 'startedAt'>

const good: Response = { status: 200 }
const tooMany: Response = { status: 429 }
const never = new AbortController().signal

const openPace = (max: number, random = 0) => {
  const clock = createManualClock(0)
  const pace = createPace({ max, clock, random: () => random })
  /** Sends that many requests now and responds with them all a second later. */
  const burst = (response: Response, count = 1): void => {
    clock.advance(1)
    const startedAt = clock.monotonic()
    clock.advance(1_000)
    for (let index = 0; index < count; index += 1) pace.observe({ startedAt, ...response })
  }
  /** Waits until ready and returns how long it took, in steps of 50 ms. */
  const measureWait = async (): Promise<number> => {
    const start = clock.now()
    let isReady = false
    const wait = pace.ready(never).then(() => {
      isReady = true
    })
    await turnEventLoop()
    while (!isReady) {
      clock.advance(50)
      await turnEventLoop()
    }
    await wait
    return clock.now() - start
  }
  return { pace, clock, burst, measureWait }
}

describe('the limit', () => {
  test.each<[string, Response]>([
    ['429', tooMany],
    ['503', { status: 503 }],
    ['a timeout', { error: 'timeout' }],
  ])('is halved by %s, down to 1', (_name, response) => {
    const { pace, burst } = openPace(16)
    const limits = [16, 8, 4, 2, 1, 1].map(() => {
      const limit = pace.limit()
      burst(response)
      return limit
    })
    expect(limits).toEqual([16, 8, 4, 2, 1, 1])
  })

  test('is halved once by requests that were in flight together', () => {
    const { pace, clock, burst } = openPace(16)
    burst(tooMany, 16)
    expect(pace.limit()).toBe(8)
    pace.observe({ startedAt: 500, ...tooMany })
    expect(pace.limit()).toBe(8)
    clock.advance(1)
    pace.observe({ startedAt: clock.monotonic(), ...tooMany })
    expect(pace.limit()).toBe(4)
  })

  test('is raised by one for each ten good responses, up to the maximum', () => {
    const { pace, burst } = openPace(4)
    burst(tooMany)
    burst(good, 9)
    expect(pace.limit()).toBe(2)
    burst(good)
    expect(pace.limit()).toBe(3)
    burst(good, 100)
    expect(pace.limit()).toBe(4)
  })

  test('is not raised by good responses from before it was halved', () => {
    const { pace, burst } = openPace(4)
    burst(good, 9)
    burst(tooMany)
    pace.observe({ startedAt: 0, ...good })
    burst(good, 9)
    expect(pace.limit()).toBe(2)
  })

  test.each<[string, Response]>([
    ['a request that was not sent', { error: 'not-sent' }],
    ['a reset', { error: 'other' }],
    ['a 500', { status: 500 }],
    ['a redirect', { status: 302 }],
  ])('stays the same after %s', (_name, response) => {
    const { pace, burst } = openPace(4)
    burst(response, 30)
    expect([pace.limit(), pace.failuresInARow()]).toEqual([4, 30])
  })
})

describe('the wait', () => {
  test('is none before the first bad response, and after a failure that is no overload', async () => {
    const { burst, measureWait } = openPace(4)
    expect(await measureWait()).toBe(0)
    burst({ status: 500, retryAfterMs: 9_000 })
    expect(await measureWait()).toBe(0)
  })

  test.each([
    [200, 200],
    [7_000, 7_000],
    [300_000, 300_000],
    [3_600_000, 300_000],
  ])('is the Retry-After of %s ms, but at most 5 minutes', async (retryAfterMs, wanted) => {
    const { burst, measureWait } = openPace(4)
    burst({ status: 503, retryAfterMs })
    expect(await measureWait()).toBe(wanted)
  })

  test('lasts until the latest Retry-After, also of a request from before the halving', async () => {
    const { pace, burst, measureWait, clock } = openPace(4)
    burst({ ...tooMany, retryAfterMs: 1_000 })
    pace.observe({ startedAt: 0, ...tooMany, retryAfterMs: 6_000 })
    pace.observe({ startedAt: 0, ...tooMany, retryAfterMs: 2_000 })
    const waiting = measureWait()
    pace.observe({ startedAt: clock.monotonic(), ...tooMany, retryAfterMs: 8_000 })
    expect(await waiting).toBe(8_000)
  })

  test('doubles with consecutive overloads, from 0.2 to 5 s, and begins again after a good response', async () => {
    const longest = openPace(4, 1)
    const waits: number[] = []
    for (let turn = 0; turn < 7; turn += 1) {
      longest.burst(tooMany, 4)
      waits.push(await longest.measureWait())
    }
    expect(waits).toEqual([400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
    longest.burst(good)
    longest.burst(tooMany)
    expect(await longest.measureWait()).toBe(400)

    const shortest = openPace(4, 0)
    for (let turn = 0; turn < 3; turn += 1) {
      shortest.burst(tooMany)
      expect(await shortest.measureWait()).toBe(200)
    }
  })

  test('ends when the signal aborts', async () => {
    const { pace, clock, burst } = openPace(4)
    burst({ ...tooMany, retryAfterMs: 60_000 })
    const stop = new AbortController()
    const waits = [pace.ready(stop.signal), pace.ready(AbortSignal.abort())]
    stop.abort()
    await Promise.all(waits)
    expect(clock.sleepers.size).toBe(0)
  })
})

test('failures in a row are counted until a good response, and a documented refusal is one', () => {
  const { pace, burst } = openPace(4)
  const failures: Response[] = [
    { error: 'not-sent' },
    { error: 'timeout' },
    { error: 'other' },
    { status: 502 },
    tooMany,
    { status: 307 },
  ]
  for (const response of failures) burst(response)
  expect(pace.failuresInARow()).toBe(failures.length)
  for (const response of [good, { status: 400 }, { status: 500, isBusinessRefusal: true } as const]) {
    burst(response)
    expect(pace.failuresInARow()).toBe(0)
    burst({ status: 500 })
    expect(pace.failuresInARow()).toBe(1)
  }
})
