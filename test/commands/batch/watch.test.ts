// batch show --watch: follows a batch that another process runs, by the journal alone.
import { expect, test } from 'vitest'
import { lineMs } from '../../../src/commands/batch/run/progress.ts'
import type { Clock } from '../../../src/contract/clock.ts'
import { realClock, type Situation, untilAborted } from '../../support/in-process.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { type Filled, openFilled, rowsOf } from './filled-journal.ts'

/** Each wait for the journal calls the next of these functions. No line is printed meanwhile. */
const clockOf = (doing: (() => unknown)[], waits: number[] = []): Clock => {
  let ahead = 0
  return {
    ...realClock,
    now: () => Date.now() + ahead,
    monotonic: () => performance.now() + ahead,
    sleep: async (ms, signal) => {
      if (ms === lineMs) return untilAborted(signal)
      waits.push(ms)
      ahead += ms
      const next = doing.shift()
      if (next === undefined && signal?.aborted !== true) throw new Error('it waits for nothing')
      await next?.()
    },
  }
}

/** Without a terminal. */
const watch = ({ shop }: Pick<Filled, 'shop'>, flags: readonly string[], situation: Situation) =>
  shop.atTerminal([...words, ...flags], { terminals: [], ...situation })

const words = ['batch', 'show', 'orders', '--watch']

test('follows the batch until it has ended, and exits with its code', async () => {
  const { shop, deliver, fail } = await openFilled()
  await deliver(1)
  const waits: number[] = []
  const clock = clockOf([() => deliver(2), () => deliver(3), () => fail(4, 'out of stock')], waits)
  const { exit, stdout, stderr } = await watch({ shop }, [], { clock })
  expect([exit, waits]).toEqual([8, [2_000, 2_000, 2_000]])
  expect(stdout).toMatch(/^State +! partial/m)
  expect(stderr).toBe(
    'orders: 3 of 4 cards delivered, 3 of 3 orders, 300.00 of 5,000.00 USD spent, 1 failed\n' +
      'Buy the failed cards again: orderctl batch run orders --retry-failed\n' +
      'Codes are hidden. Write them to a file: orderctl batch export orders orders-codes.csv\n',
  )
})

test('waits for a confirm that the other process may still settle', async () => {
  const { shop, deliver, buy, setCards } = await openFilled()
  await deliver(1, 2, 3)
  const orderId = await buy(4, 'unknown', { at: Date.now() })
  const settle = () => setCards(4, { state: 'delivered', hash: 'h' })
  const settled = await watch({ shop }, ['-q'], { clock: clockOf([() => {}, () => {}, settle]) })
  expect(settled).toMatchObject({ exit: 0, stdout: 'orders\n', stderr: '' })
  expect(orderId).toContain('orders-0004')
})

test('does not wait for it for ever', async () => {
  const { shop, deliver, buy } = await openFilled()
  await deliver(1, 2, 3)
  await buy(4, 'unknown', { at: Date.now() })
  const waits: number[] = []
  // 80 s for questions and 10 s to record the response.
  const { exit } = await watch({ shop }, ['-q'], {
    clock: clockOf(
      Array(70).fill(() => {}),
      waits,
    ),
  })
  expect(exit).toBe(6)
  expect(waits.length).toBeGreaterThan(40)
})

test('waits for a planned batch to be started', async () => {
  const { add, batches, shop } = await openFilled({ name: 'other' })
  const { batch, deliver } = await add({ rows: rowsOf(1) })
  const start = async () => {
    await batches.recordStart(batch, { maxTotal: '100', at: Date.now() })
    await deliver(1)
  }
  const { exit, stderr } = await watch({ shop }, [], { clock: clockOf([() => {}, start]) })
  expect(exit).toBe(0)
  expect(stderr).toContain('The batch is not started yet. Start it: orderctl batch run orders\n')
})

test('shows the rows at the end with --rows', async () => {
  const { shop, deliver } = await openFilled()
  const clock = clockOf([() => deliver(1, 2, 3, 4)])
  const { exit, stdout } = await watch({ shop }, ['--rows', '--json'], { clock })
  expect(exit).toBe(0)
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).state),
  ).toEqual(Array(4).fill('delivered'))
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('%s ends it with %i', async (signal, code) => {
  const { shop } = await openFilled()
  const interrupted = new AbortController()
  const clock = clockOf([() => interrupted.abort(signal)])
  const { exit, stdout, stderr } = await watch({ shop }, [], { clock, interrupted: interrupted.signal })
  expect([exit, stdout]).toEqual([code, ''])
  expect(stderr).toContain(
    'Stopped watching; the batch orders has not ended\ntry: orderctl batch show orders --watch\n',
  )
})

test('redraws the progress on a terminal, and leaves nothing of it', async () => {
  const { shop, deliver } = await openFilled()
  const clock = createManualClock(Date.now())
  const running = shop.atTerminal(words, { clock, env: { COLUMNS: '100', LANG: 'C' } })
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  await pass(1_000)
  await deliver(1, 2)
  await pass(3_000)
  await deliver(3, 4)
  await pass(3_000)
  const { exit, writes, stderr } = await running
  expect(exit).toBe(0)
  const heads = writes.stderr.flatMap((text) => /orders {2}\[.*cards delivered/.exec(text)?.[0] ?? [])
  expect(heads).toEqual([
    `orders  [${'-'.repeat(38)}]  0 of 4 cards delivered`,
    `orders  [${'#'.repeat(19)}${'-'.repeat(19)}]  2 of 4 cards delivered`,
  ])
  expect(
    stderr.endsWith(
      '\u001b[2A\r\u001b[JCodes are hidden. Write them to a file: orderctl batch export orders orders-codes.csv\n',
    ),
  ).toBe(true)
})
