// batch run: which rows are bought, why a batch stops, and what is refused before anything is sent.

import path from 'node:path'
import { expect, test } from 'vitest'
import { findBatchesOnAnyAccount, recordStart } from '../../../../src/journal/batches/batches.ts'
import { openJournal } from '../../../../src/journal/open-journal.ts'
import { isFullRun } from '../../../support/cases.ts'
import { realClock } from '../../../support/in-process.ts'
import { openWorld, overSocket, type Way } from '../../../support/world.ts'

type Row = {
  readonly sku: string
  readonly quote: number
  readonly quantity?: number
  readonly productType?: string
}

const openShop = async (way: Way = {}) => {
  const shop = await openWorld(way)
  const save = (rows: readonly Row[], name = 'gifts.json'): string => shop.file(JSON.stringify(rows), name)
  const runBatch = async (...words: string[]) => {
    const { exit, stdout, stderr } = await shop.run(['batch', 'run', ...words, '--json'])
    return { exit, stderr, summary: stdout === '' ? undefined : JSON.parse(stdout) }
  }
  const countOrders = async (): Promise<number> => (await shop.calls.mock('GET', '/state')).data.orders.length
  return { ...shop, save, runBatch, countOrders }
}

const game: Row = { sku: 'GAME-US', quote: 25 }
const film: Row = { sku: 'FILM-AU', quote: 20 }

test('bad rows do not sink the others, and keep the words of the service', async () => {
  // The sandbox would refuse the first two before anything is sent.
  const shop = await openShop(overSocket)
  const bad: Row[] = [
    { sku: 'NO-SUCH', quote: 5 },
    { sku: 'MUSIC-FR', quote: 9 },
    { sku: 'TEST-OUT-OF-STOCK', quote: 10 },
    { sku: 'TEST-NO-EXCHANGE', quote: 10 },
  ]
  // Two orders, of which the first has no wrong price.
  const file = shop.save([game, ...bad, { ...film, quantity: 6 }, { ...game, quantity: 3 }])
  const { exit, summary } = await shop.runBatch(file, '--wallet', 'USD', '--max-total', '500')
  expect([exit, summary.state, summary.cards]).toEqual([
    8,
    'partial',
    { ordered: 14, delivered: 10, failed: 4, duplicate: 0, unknown: 0, cancelled: 0, open: 0 },
  ])
  const rows = await shop.must('batch', 'show', 'gifts', '--rows', '--json')
  for (const words of [
    'One or more product in the sent list are not found.',
    "The entered quote doesn't match the SKU.",
    'Requested item is out of stock',
    'Your requested exchange is not supported',
  ]) {
    expect(rows).toContain(words)
  }
})

const flags = ['--wallet', 'USD', '--parallel', '1']

const stopAtCap = async () => {
  const shop = await openShop()
  const file = shop.save([{ ...game, quantity: 15 }])
  const { exit, summary } = await shop.runBatch(file, ...flags, '--max-total', '300')
  expect([exit, summary.state, summary.cards.delivered]).toEqual([13, 'stopped', 10])
  return { shop, file }
}

test('a batch stops at its cap', async () => {
  await stopAtCap()
})

// The wallet holds 10 AUD: enough to create each of the orders, and to confirm one of them.
test('an empty wallet stops a batch, although the service refused to confirm created orders', async () => {
  const shop = await openShop()
  const file = shop.save([5, 6, 7].map((quote) => ({ sku: 'SHOE-AU', quote, productType: 'range' })))
  const { exit, stderr, summary } = await shop.runBatch(file, '--wallet', 'AUD', '--max-total', '100')
  expect([exit, summary.state, summary.cards]).toEqual([
    13,
    'stopped',
    { ordered: 3, delivered: 1, failed: 0, duplicate: 0, unknown: 0, cancelled: 0, open: 2 },
  ])
  expect([4.9, 5.88, 6.86]).toContain(summary.spent)
  expect(stderr).toContain('the wallet AUD has too little money for the next order')
  const rows = (await shop.must('batch', 'show', 'gifts', '--rows', '--json', '--fields', 'state')).split(
    '\n',
  )
  expect(rows.filter((row) => row.includes('open'))).toHaveLength(2)
})

// The order that exceeded the cap belongs to the stopped run for 30 s.
test.runIf(isFullRun)('a higher cap needs --max-total again', { timeout: 150_000 }, async () => {
  const { shop, file } = await stopAtCap()
  const again = await shop.runBatch('gifts', '--parallel', '1')
  expect([again.exit, again.summary.spent]).toEqual([13, 250])
  const raised = await shop.runBatch('gifts', '--parallel', '1', '--max-total', '375')
  expect([raised.exit, raised.summary.state, raised.summary.spent]).toEqual([0, 'successful', 375])
  const asked = await shop.asked()
  expect(await shop.runBatch(file, ...flags)).toMatchObject({ exit: 0, summary: { state: 'successful' } })
  expect(await shop.asked()).toBe(asked)
})

// orderctl retries for more than a minute.
test.runIf(isFullRun)('without a service, the advice is to continue', { timeout: 150_000 }, async () => {
  const shop = await openShop()
  const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'key' }
  const words = ['batch', 'run', shop.save([game]), ...flags, '--max-total', '300', '--json']
  const { exit, stderr } = await shop.run(words, { env })
  expect(exit).toBe(5)
  expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
    message: expect.stringMatching(/; the card is still open$/),
    fix: 'orderctl batch run gifts',
  })
})

test('--retry-failed buys only the cards of failed orders again', async () => {
  const shop = await openShop()
  const file = shop.save([game, { sku: 'TEST-FAIL', quote: 10 }])
  const { exit, summary } = await shop.runBatch(file, '--wallet', 'USD', '--max-total', '100')
  expect([exit, summary.cards]).toEqual([
    8,
    { ordered: 2, delivered: 1, failed: 1, duplicate: 0, unknown: 0, cancelled: 0, open: 0 },
  ])
  const orders = await shop.countOrders()
  const again = await shop.runBatch('gifts', '--retry-failed')
  expect([again.exit, again.summary.cards]).toEqual([8, summary.cards])
  expect(await shop.countOrders()).toBe(orders + 1)
  const words = ['batch', 'run', 'gifts', '--retry-failed', '--max-total', '500']
  const refused = await shop.atTerminal(words, { answers: [false] })
  expect([refused.exit, refused.stderr]).toEqual([
    130,
    expect.stringContaining('The batch was not continued; nothing more was spent'),
  ])
  // A later run without --retry-failed must not buy them either.
  expect((await shop.runBatch('gifts')).summary.cards).toEqual(summary.cards)
  expect(await shop.countOrders()).toBe(orders + 1)
})

test('--retry-failed buys each product with orders of its own', async () => {
  const shop = await openShop()
  const file = shop.save([
    { sku: 'TEST-FAIL', quote: 10 },
    { sku: 'TEST-REJECT', quote: 10 },
  ])
  await shop.runBatch(file, '--wallet', 'USD', '--max-total', '100')
  const orders = await shop.countOrders()
  await shop.runBatch('gifts', '--retry-failed')
  expect([orders, await shop.countOrders()]).toEqual([1, 3])
})

test('an edited file, and the same plan under another name, are refused', async () => {
  const shop = await openShop()
  const file = shop.save([game])
  expect((await shop.runBatch(file, '--wallet', 'USD', '--max-total', '100')).exit).toBe(0)
  shop.save([game, film])
  const edited = await shop.runBatch(file, '--wallet', 'USD', '--max-total', '100')
  expect([edited.exit, edited.stderr]).toEqual([11, expect.stringContaining('FILM-AU')])
  const other = shop.save([game], 'other.json')
  const words = [other, '--wallet', 'USD', '--max-total', '100']
  expect((await shop.runBatch(...words)).exit).toBe(11)
  expect(await shop.countOrders()).toBe(1)
  expect((await shop.runBatch(...words, '--allow-duplicate')).exit).toBe(0)
  expect(await shop.countOrders()).toBe(2)
})

test('on a terminal, the same plan under another name is bought after a prompt that names the first batch', async () => {
  const shop = await openShop()
  const words = ['--wallet', 'USD', '--max-total', '100']
  expect((await shop.runBatch(shop.save([game]), ...words)).exit).toBe(0)
  const run = (answers: readonly boolean[]) =>
    shop.atTerminal(['batch', 'run', shop.save([game], 'other.json'), ...words], { answers })
  const refused = await run([false])
  expect([refused.exit, await shop.countOrders()]).toEqual([130, 1])
  expect(refused.stderr).toContain('The batch gifts, started in the last 24 hours, buys the same products.\n')
  const { questions, exit } = await run([true, true])
  expect([exit, await shop.countOrders()]).toEqual([0, 2])
  expect(questions).toContain('Buy the same products again?')
})

test('the same plan that another process starts during the question is refused', async () => {
  const shop = await openShop()
  for (const name of ['one.json', 'two.json']) {
    await shop.must('batch', 'plan', shop.save([game], name), '--wallet', 'USD')
  }
  const startOther = async (): Promise<true> => {
    const journal = await openJournal(path.join(shop.home, 'state', 'journal.db'))
    for (const batch of await findBatchesOnAnyAccount(journal.read, 'two')) {
      if (batch.name === 'two') await recordStart(journal, batch, { maxTotal: '100', at: Date.now() })
    }
    await journal.close()
    return true
  }
  const words = ['batch', 'run', 'one', '--max-total', '100']
  const { exit, stderr } = await shop.atTerminal(words, { answers: [startOther] })
  expect([exit, stderr]).toEqual([11, expect.stringContaining('the batch two, started in the last 24 hours')])
  expect(await shop.countOrders()).toBe(0)
})

test('a batch that a reset of the sandbox deletes while it runs is not complete', async () => {
  const shop = await openShop()
  const file = shop.save([{ sku: 'TEST-SLOW', quote: 10 }])
  const stop = new AbortController()
  const words = ['batch', 'run', file, '--wallet', 'USD', '--max-total', '100', '--yes']
  // On the real clock, the slow order is not delivered meanwhile.
  const ran = shop.atTerminal(words, { interrupted: stop.signal, clock: realClock })
  await expect.poll(shop.countOrders).toBe(1)
  await shop.must('sandbox', 'reset')
  stop.abort()
  const { exit, stdout, stderr } = await ran
  expect([exit, stdout]).toEqual([9, ''])
  expect(stderr).toContain('the batch gifts was deleted from the journal while it ran')
})

test('other rows under the name of a batch: the advice buys nothing twice', async () => {
  const shop = await openShop()
  const file = shop.save([game, { ...game, quantity: 2 }])
  await shop.must('batch', 'plan', file, '--wallet', 'USD')
  const advise = async (rows: readonly object[]) => {
    shop.file(JSON.stringify(rows), 'gifts.json')
    const { exit, stderr } = await shop.runBatch(file, ...flags, '--max-total', '100')
    return [exit, JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.advice]
  }
  const team = [
    { ...game, team: 'a' },
    { ...game, quantity: 2, team: 'b' },
  ]
  expect(await advise(team)).toEqual([
    11,
    'The batch has bought nothing. Choose a different name, or plan the same input to replace its rows.',
  ])
  await shop.must('batch', 'plan', file, '--wallet', 'USD')
  expect((await shop.runBatch(file, ...flags, '--max-total', '100')).exit).toBe(0)
  expect(await advise([game, { ...game, quantity: 2 }])).toEqual([
    11,
    'To continue the batch as it was planned: orderctl batch run gifts. --name gifts-2 would buy the same rows again.',
  ])
  expect(await advise([...team, film])).toEqual([
    11,
    'Put only the other rows into a file of their own. --name gifts-2 would buy all 3 rows, of which 2 are already in the batch.',
  ])
})
