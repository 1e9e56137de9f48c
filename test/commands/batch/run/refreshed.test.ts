// A value that is read again in the background, and the progress that shows it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createProgress } from '../../../../src/commands/batch/run/progress.ts'
import { createRefreshed } from '../../../../src/commands/batch/run/refreshed.ts'
import type { Context } from '../../../../src/context.ts'
import { zero } from '../../../../src/contract/decimal.ts'
import { createManualClock } from '../../../support/manual-clock.ts'

/** Each read after the first one waits for `response`. */
const open = async () => {
  const clock = createManualClock()
  const reads: PromiseWithResolvers<number>[] = []
  const refreshed = await createRefreshed(clock, () => {
    const read = Promise.withResolvers<number>()
    reads.push(read)
    if (reads.length === 1) read.resolve(1)
    return read.promise
  })
  return {
    ...{ clock, refreshed },
    countReads: () => reads.length,
    response: async (value: number | Error): Promise<void> => {
      if (typeof value === 'number') reads.at(-1)?.resolve(value)
      else reads.at(-1)?.reject(value)
      await nextTurn()
    },
  }
}

describe('the last value', () => {
  test('is returned at once, and read again after a second', async () => {
    const { clock, refreshed, countReads, response } = await open()
    expect([refreshed.latest(), countReads()]).toEqual([1, 1])
    clock.advance(999)
    expect([refreshed.latest(), countReads()]).toEqual([1, 1])
    clock.advance(1)
    expect([refreshed.latest(), countReads()]).toEqual([1, 2])
    await response(2)
    expect([refreshed.latest(), countReads()]).toEqual([2, 2])
  })

  test('is not read again while a read is in progress', async () => {
    const { clock, refreshed, countReads } = await open()
    clock.advance(1_000)
    for (let frame = 0; frame < 100; frame += 1) {
      refreshed.latest()
      clock.advance(1_000)
      await nextTurn()
    }
    expect(countReads()).toBe(2)
  })

  test('is read for at most 5 % of the time', async () => {
    const { clock, refreshed, countReads, response } = await open()
    clock.advance(1_000)
    refreshed.latest()
    clock.advance(2_000)
    await response(2)
    clock.advance(39_999)
    expect([refreshed.latest(), countReads()]).toEqual([2, 2])
    clock.advance(1)
    expect([refreshed.latest(), countReads()]).toEqual([2, 3])
  })

  test('stays after an error, and is read again a second later', async () => {
    const { clock, refreshed, countReads, response } = await open()
    clock.advance(1_000)
    refreshed.latest()
    await response(new Error('no connection'))
    expect([refreshed.latest(), countReads()]).toEqual([1, 2])
    clock.advance(1_000)
    refreshed.latest()
    await response(3)
    expect([refreshed.latest(), countReads()]).toEqual([3, 3])
  })
})

test('the next value is awaited only if it is due', async () => {
  const { clock, refreshed, countReads, response } = await open()
  await refreshed.refreshIfDue()
  expect(countReads()).toBe(1)
  clock.advance(1_000)
  const both = [refreshed.refreshIfDue(), refreshed.refreshIfDue()]
  await response(2)
  await Promise.all(both)
  expect([refreshed.latest(), countReads()]).toEqual([2, 2])
})

test('an exact value is read after the read in progress has ended, also if that one fails', async () => {
  const { clock, refreshed, countReads, response } = await open()
  clock.advance(1_000)
  refreshed.latest()
  const exact = refreshed.refreshNow()
  await response(new Error('no connection'))
  expect(countReads()).toBe(3)
  await response(3)
  await exact
  expect([refreshed.latest(), countReads()]).toEqual([3, 3])
})

test('settles after the read in progress', async () => {
  const { clock, refreshed, response } = await open()
  await refreshed.settle()
  clock.advance(1_000)
  refreshed.latest()
  let isSettled = false
  const settled = refreshed.settle().then(() => {
    isSettled = true
  })
  await nextTurn()
  expect(isSettled).toBe(false)
  await response(new Error('no connection'))
  await settled
})

describe('the progress without a terminal', () => {
  const watch = async () => {
    const opened = await open()
    const written: string[] = []
    const context = {
      ...{ clock: opened.clock, isAccessible: false, platform: 'linux', environment: {} },
      stderr: { isTerminal: false, colour: false, width: 80, write: (text: string) => written.push(text) },
    } as unknown as Context
    const { refreshed } = opened
    const latest = () => ({
      name: 'orders',
      cards: { ordered: 10, delivered: refreshed.latest(), failed: 0, duplicate: 0, unknown: 0 },
      ...{ orders: 2, ordersDone: 0, ordersInFlight: 2, spent: zero },
      ...{ wallet: 'USD', elapsedMs: 0, deliveredNow: 0 },
    })
    const progress = createProgress(context, { isShown: true, source: { ...refreshed, latest } })
    progress.begin()
    return { ...opened, progress, delivered: () => written.map((line) => /\d+/.exec(line)?.[0]) }
  }

  test('each line waits for the value of its minute', async () => {
    const { clock, response, progress, delivered } = await watch()
    clock.advance(60_000)
    await nextTurn()
    expect(delivered()).toEqual([])
    await response(4)
    expect(delivered()).toEqual(['4'])
    const ended = progress.end()
    await nextTurn()
    await response(5)
    await ended
    expect(delivered()).toEqual(['4', '5'])
  })

  test('the last line is exact, and a line that waits is left out', async () => {
    const { clock, response, progress, delivered } = await watch()
    clock.advance(60_000)
    await nextTurn()
    const ended = progress.end()
    await response(4)
    expect(delivered()).toEqual([])
    await response(10)
    await ended
    expect(delivered()).toEqual(['10'])
  })

  test('an error of the journal never ends the work', async () => {
    const { clock, response, progress, delivered } = await watch()
    clock.advance(60_000)
    await nextTurn()
    await response(new Error('no connection'))
    const ended = progress.end()
    await nextTurn()
    await response(new Error('no connection'))
    await ended
    expect(delivered()).toEqual([])
  })
})
