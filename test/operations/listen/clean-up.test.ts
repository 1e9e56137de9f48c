// When a listener deletes old deliveries, and which.
import { expect, test } from 'vitest'
import type { ReceivedTable } from '../../../src/journal/received.ts'
import { runCleanUp } from '../../../src/operations/listen/clean-up.ts'
import { createManualClock, startTime } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

type Page = Parameters<ReceivedTable['deletePage']>[1]

const hour = 3_600_000
const day = 24 * hour

type DeletePage = (page: Page, count: number) => ReturnType<ReceivedTable['deletePage']>

const openCleanUp = (deletePage: DeletePage, waiting?: ReadonlySet<string>) => {
  const clock = createManualClock()
  const stopping = new AbortController()
  const pages: (Page & { readonly now: number })[] = []
  const problems: string[] = []
  const spool = { waiting }
  const running = runCleanUp(
    {
      account: { address: 'shop.example' },
      clock,
      received: {
        deletePage: (_account, page) => {
          pages.push({ ...page, now: clock.now() - startTime })
          return deletePage(page, pages.length)
        },
      },
      listWaiting: () => spool.waiting,
      onProblem: (reason) => problems.push(reason),
    },
    stopping.signal,
  )
  const advance = async (ms: number, step: number): Promise<void> => {
    await turnEventLoop()
    for (let left = ms; left > 0; left -= step) {
      clock.advance(step)
      await turnEventLoop()
    }
  }
  return {
    ...{ pages, problems, spool, advance },
    times: () => pages.map(({ now }) => now),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

test('deletes what is older than 30 days at the start, and then once a day', async () => {
  await using opened = openCleanUp(async () => undefined, new Set())
  await opened.advance(2 * day + hour, hour)
  expect(opened.times()).toEqual([0, day, 2 * day])
  expect(opened.pages.map(({ before, now }) => startTime + now - before)).toEqual([
    30 * day,
    30 * day,
    30 * day,
  ])
})

test('pauses between pages, so that deliveries are answered meanwhile', async () => {
  await using opened = openCleanUp(
    async (_page, count) => (count < 4 ? { at: count, number: count } : undefined),
    new Set(),
  )
  await opened.advance(1_000, 50)
  expect(opened.times()).toEqual([0, 100, 200, 300])
  expect(opened.pages.map(({ after }) => after.number)).toEqual([0, 1, 2, 3])
  expect(new Set(opened.pages.map(({ limit }) => limit))).toEqual(new Set([100]))
})

test('keeps what waits to be forwarded', async () => {
  await using opened = openCleanUp(async () => undefined, new Set(['r1']))
  await turnEventLoop()
  expect(['r1', 'r2'].map((receipt) => opened.pages[0]?.isWaiting(receipt))).toEqual([true, false])
})

test('starts when the journal has each delivery of the spool', async () => {
  await using opened = openCleanUp(async () => undefined)
  await opened.advance(5_000, 500)
  opened.spool.waiting = new Set()
  await opened.advance(5_000, 500)
  expect(opened.times()).toEqual([6_000])
})

test('tries again after a minute if the journal fails', async () => {
  await using opened = openCleanUp(async (_page, count) => {
    if (count < 3) throw new Error('locked')
    return undefined
  }, new Set())
  await opened.advance(10 * 60_000, 10_000)
  expect(opened.times()).toEqual([0, 60_000, 120_000])
  expect(opened.problems).toEqual(['locked', 'locked'])
})
