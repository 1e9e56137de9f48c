// report --by column:NAME and report --items: what was charged for rows of batches, and for each order and product.
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'
import { fillJournal } from '../batch/filled-journal.ts'

const rows = [
  { quantity: 2, cells: ['Ada', '4711'] },
  { cells: ['Ben', '4712 '] },
  { sku: 'COFFEE', quote: '5', cells: ['Eve', ''] },
  { cells: ['Zed', '4711'] },
]

// Each order costs 100. The first has the cards of two cost centres, the second a card without one, the third failed
// and its card was ordered again, and the outcome of the last is unknown.
const openShop = async () => {
  const shop = await openWorld()
  const { add } = await fillJournal(shop.home)
  const slotOf = (card: number) => (card < 3 ? 1 : card - 1)
  const columns = ['Name', 'Cost centre']
  const { buy, deliver, fail, batch } = await add({ name: 'gifts', columns, rows, slotOf, maxTotal: '500' })
  await deliver(1, 2)
  await buy(3, 'failed')
  await fail(3, 'out of stock')
  const { batches } = await fillJournal(shop.home)
  await batches.retryFailed(batch.number, (cards) => cards.map(() => 0))
  await buy(4, 'unknown')
  const other = await add({ name: 'plain', rows: [{}], maxTotal: '500' })
  await other.deliver(1)
  return {
    ...shop,
    json: async (...words: string[]) => JSON.parse((await shop.run(['report', '--json', ...words])).stdout),
  }
}

test('--by column:NAME splits an order over its rows, whatever the case of the name, to the last unit', async () => {
  const shop = await openShop()
  const { rows: found, total } = await shop.json('--by', 'column:cost CENTRE')
  expect(
    found.map(({ key, charged, cards, delivered, orders, unknown }: Record<string, unknown>) => [
      ...[key, charged, cards, delivered, orders],
      (unknown as { orders: number }).orders,
    ]),
  ).toEqual([
    ['(none)', 200, 2, 2, 2, 0],
    ['(unknown)', 100, 1, 0, 1, 0],
    ['4711', 66.67, 2, 2, 1, 1],
    ['4712', 33.33, 1, 1, 1, 0],
  ])
  expect(total.USD).toMatchObject({ charged: 400, cards: 6, orders: 4 })
})

test('--by column:NAME can be combined with other keys', async () => {
  const shop = await openShop()
  const { by, rows: found } = await shop.json('--by', 'column:Name', '--by', 'product')
  expect(by).toEqual(['column:Name', 'product'])
  expect(found.map(({ key, charged }: { key: string; charged: number }) => `${key}: ${charged}`)).toEqual([
    ...['(none) / GAME-US: 100', '(unknown) / GAME-US: 100', 'Ada / GAME-US: 66.67', 'Ben / GAME-US: 33.33'],
    ...['Eve / COFFEE: 100', 'Zed / GAME-US: 0'],
  ])
})

test('--batch selects the orders of a batch, of all times', async () => {
  const shop = await openShop()
  const { total, from } = await shop.json('--batch', 'plain')
  expect({ from, ...total.USD }).toMatchObject({ from: '1970-01-01T00:00:00.000Z', charged: 100, orders: 1 })
  expect((await shop.run(['report', '--batch', 'plain'])).stdout).toContain('Charged by month, up to ')
  expect(await shop.run(['report', '--batch', 'none'])).toMatchObject({
    exit: 2,
    stderr: "error: no batch 'none' in this journal\ntry: orderctl batch list\n",
  })
})

test('--unrevealed selects delivered orders whose codes nobody has taken', async () => {
  const shop = await openWorld()
  const buy = (...more: string[]) =>
    shop.id('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--watch', ...more)
  const [shown, found, kept] = [await buy(), await buy(), await buy()]
  await shop.id('create', '--product', 'GAME-US:25', '--wallet', 'USD')
  await shop.must('redeem', shown, '--reveal')
  await shop.run(['find', found, '--no-input'])
  const listed = JSON.parse(await shop.must('report', '--items', '--unrevealed', '--json'))
  expect(listed.items.map(({ order }: { order: string }) => order).toSorted()).toEqual(
    [found, kept].toSorted(),
  )
})

test('a column that no batch has is refused, and the known ones are named', async () => {
  const shop = await openShop()
  expect(await shop.run(['report', '--by', 'column:centre'])).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: `error: no batch in this journal has a column 'centre'
Use a column of a batch: 'Cost centre', 'Name'
`,
  })
  const fresh = await openWorld()
  await fresh.must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm', '-q')
  expect((await fresh.run(['report', '--by', 'column:centre'])).stderr).toContain(
    'No batch has columns next to those of its products.',
  )
})

test('--items lists each order and product that was charged, and the sums are those of the report', async () => {
  const shop = await openShop()
  const { items, total } = await shop.json('--items', '--by', 'column:Cost centre')
  expect(total).toEqual((await shop.json()).total)
  expect(
    items.reduce((sum: number, { charged }: { charged: number }) => sum + charged * 100, 0) / 100,
  ).toBeCloseTo(total.USD.charged)
  expect(items[0]).toEqual({
    ...{ day: expect.stringMatching(/^20\d\d-\d\d-\d\d$/), order: 'sbx_gifts-0001_0' },
    ...{ reference: 'gifts-0001', product: 'GAME-US', person: 'tester', state: 'successful' },
    ...{ 'column:Cost centre': '4711', currency: 'USD', cards: 2, charged: 66.67 },
  })
  expect(items.map(({ order, state }: Record<string, string>) => `${order} ${state}`)).toEqual([
    ...['sbx_gifts-0001_0 successful', 'sbx_gifts-0001_0 successful', 'sbx_gifts-0002_0 successful'],
    ...['sbx_gifts-0003_0 failed', 'sbx_plain-0001_0 successful'],
  ])
})

test('--items --csv has the exact amounts, and a note about orders whose outcome is unknown', async () => {
  const shop = await openShop()
  const { stdout, stderr } = await shop.run(['report', '--items', '--csv'])
  expect(stdout.split('\r\n').slice(0, 2)).toEqual([
    '"day","order","reference","product","person","state","currency","cards","charged"',
    expect.stringMatching(
      /^"20[\d-]+","sbx_gifts-0001_0","gifts-0001","GAME-US","tester","successful","USD","3","100"$/,
    ),
  ])
  expect(stderr).toBe(
    '1 order with an unknown outcome is not listed and may have been charged. Settle it: orderctl reconcile\n',
  )
})

test.each([60, 80, 140])('--items never breaks an order id, at %i columns', async (columns) => {
  const shop = await openShop()
  const { stdout } = await shop.run(['report', '--items'], { env: { COLUMNS: String(columns) } })
  expect(stdout).toContain('sbx_gifts-0001_0')
  expect(stdout).toMatch(/Charged orders, /)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns)
})

test('--items has its keys without --by', async () => {
  const shop = await openShop()
  expect(await shop.run(['report', '--items', '--by', 'day'])).toMatchObject({ exit: 2, stdout: '' })
})
