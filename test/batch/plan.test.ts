// The plan of a batch: how its cards are packed, its ids, what differs between two plans, and its name. src/batch/plan.ts
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareRows,
  findEqualLines,
  identifyBatch,
  identifyDemand,
  packRows,
  readBatchName,
} from '../../src/batch/plan.ts'
import { orderLimits } from '../../src/contract/limits.ts'
import { decimal, formatDecimal } from '../../src/contract/money/decimal.ts'
import {
  type BatchRow,
  type BatchRows,
  isPlanId,
  type RowProduct,
} from '../../src/operations/batch-limits.ts'
import { failureOf } from '../profiles/failure-of.ts'
import { isAllRun, isFullRun } from '../support/cases.ts'
import { row, rowsOf } from './batch-rows.ts'

const products = fc.record({
  // `__proto__` is a valid SKU.
  sku: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', '__proto__'),
  quote: fc.constantFrom('25', '25.0', '50'),
  productType: fc.constantFrom('fixed', 'range'),
})

const demands = fc.array(
  fc.tuple(products, fc.integer({ min: 1, max: 60 })).map(([product, quantity]) => ({
    ...row('X:1'),
    ...product,
    quote: formatDecimal(decimal(product.quote)),
    quantity,
  })),
  { maxLength: 40 },
)

const keyOf = ({ sku, quote, productType }: RowProduct): string => JSON.stringify([sku, quote, productType])

const countBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> =>
  new Map([...Map.groupBy(items, keyOf)].map(([key, { length }]) => [key, length]))

/** The problem of an order: its lines, their cards, or all cards. */
const findProblems = (cards: readonly RowProduct[]): string[] => {
  const lines = countBy(cards, keyOf)
  const skus = new Set(cards.map(({ sku }) => sku))
  return [
    ...(cards.length === 0 ? ['no cards'] : []),
    ...(lines.size > skus.size ? ['a SKU twice'] : []),
    ...(lines.size > orderLimits.skusPerOrder ? ['too many lines'] : []),
    ...(cards.length > orderLimits.quantityPerOrder ? ['too many cards'] : []),
    ...([...lines.values()].some((count) => count > orderLimits.quantityPerSku)
      ? ['too many of a product']
      : []),
  ]
}

test('each order keeps the limits, each card is in one order, and no smaller number of orders is possible', () => {
  fc.assert(
    fc.property(demands, (rows) => {
      const cards = rows.flatMap((each) => Array.from({ length: each.quantity }, () => each))
      const { orders, orderOf } = packRows(rows)
      expect(orderOf).toHaveLength(cards.length)
      const packed = Map.groupBy(cards.keys(), (card) => orderOf[card] as number)
      expect([...packed.keys()].sort((one, other) => one - other)).toEqual([...Array(orders).keys()])
      for (const ofOrder of packed.values()) {
        expect(findProblems(ofOrder.map((card) => cards[card] as RowProduct))).toEqual([])
      }
      // No order holds more than five lines, nor two lines of a SKU.
      const lines = [...countBy(cards, keyOf)].map(([key, count]) => ({
        sku: String(JSON.parse(key)[0]),
        count: Math.ceil(count / orderLimits.quantityPerSku),
      }))
      const countLines = (counted: typeof lines): number => counted.reduce((sum, { count }) => sum + count, 0)
      const ofOneSku = [...Map.groupBy(lines, ({ sku }) => sku).values()].map(countLines)
      expect(orders).toBe(Math.max(Math.ceil(countLines(lines) / orderLimits.skusPerOrder), ...ofOneSku, 0))
    }),
    { numRuns: isFullRun ? 10_000 : isAllRun ? 300 : 100 },
  )
})

test.runIf(isAllRun)('100,000 rows with 500,000 cards', () => {
  const rows = rowsOf('', ...Array.from({ length: 100_000 }, (_, index) => `SKU-${index % 2_000}:25x5`))
  const { orders, orderOf } = packRows(rows.rows)
  expect(orders).toBe(20_000)
  expect(orderOf).toHaveLength(500_000)
})

const shop = { address: 'shop.example' }
const batchOf = (rows: BatchRows, account = shop, wallet = 'USD') => identifyBatch(rows, account, wallet)
const demandOf = (rows: BatchRows, account = shop, wallet = 'USD') => identifyDemand(rows, account, wallet)

const rowTexts = ['GAME-US:25x2 Ann ann@example.com', 'COFFEE-US:10/range Bo bo@example.com']
const base = rowsOf('name email', ...rowTexts)
/** The rows with a part of their text replaced. */
const replaced = (part: string, by: string): BatchRows =>
  rowsOf('name email', ...rowTexts.map((text) => text.replace(part, by)))

// Journals hold these ids: a change would make every saved batch a different one.
test('the ids of a batch do not change between versions', () => {
  expect({ batch: batchOf(base), demand: demandOf(base) }).toMatchInlineSnapshot(`
    {
      "batch": "bat_qhy7h21nb187js6zy0mhvzhmyk0ternk",
      "demand": "dem_bm3p3369fm3xcnchxan28ctsht844c27",
    }
  `)
})

test('columns in a different order or without values, line numbers and notations do not matter', () => {
  for (const same of [
    rowsOf('email name', 'GAME-US:25x2 ann@example.com Ann', 'COFFEE-US:10/range bo@example.com Bo'),
    rowsOf('name note email', 'GAME-US:25x2 Ann  ann@example.com', 'COFFEE-US:10/range Bo  bo@example.com'),
    { ...base, rows: base.rows.map((row) => ({ ...row, line: row.line * 2 })) },
    replaced(':25x', ':25.0x'),
  ])
    expect(batchOf(same)).toBe(batchOf(base))
})

test.each<[string, BatchRows]>([
  ['a different quantity', replaced('x2', 'x3')],
  ['a different quote', replaced(':25', ':26')],
  ['a different type', replaced('/range', '')],
  ['a different SKU', replaced('GAME-US', 'GAME-UK')],
  ['a different cell', replaced('Ann ', 'Anna ')],
  ['swapped cells', replaced('Ann ann@example.com', 'ann@example.com Ann')],
  ['a different name of a column', rowsOf('who email', ...rowTexts)],
  ['a different order of the rows', { ...base, rows: base.rows.toReversed() }],
  ['a row more', { ...base, rows: [...base.rows, ...base.rows.slice(1)] }],
  ['a row less', { ...base, rows: base.rows.slice(1) }],
])('%s: another batch', (_, rows) => {
  expect(batchOf(rows)).not.toBe(batchOf(base))
})

test('a different account or wallet: a different batch and demand', () => {
  const named = { address: 'shop.example', name: 'other' }
  for (const idOf of [batchOf, demandOf]) {
    const others = [idOf(base, { address: 'other.example' }), idOf(base, named), idOf(base, shop, 'EUR')]
    expect(new Set([idOf(base), ...others]).size).toBe(4)
  }
  expect(isPlanId(batchOf(base))).toBe(true)
  expect(demandOf(base)).toMatch(/^dem_[\da-hjkmnp-tv-z]{32}$/)
})

test('the demand counts the cards of each product, whatever the other columns contain', () => {
  const flags = rowsOf('', 'COFFEE-US:10.00/range', 'GAME-US:25', 'GAME-US:25.0')
  expect(demandOf(flags)).toBe(demandOf(base))
  for (const other of ['GAME-US:25', 'GAME-US:50', 'GAME-US:25/range']) {
    expect(demandOf(rowsOf('', 'COFFEE-US:10/range', 'GAME-US:25', other, 'GAME-US:25'))).not.toBe(
      demandOf(base),
    )
  }
})

const describeRow = (row: BatchRow): string =>
  [`${row.line}: ${row.sku}:${row.quote}x${row.quantity}`, ...row.cells].join(' ')

const differences = (saved: BatchRows, given: BatchRows): string[] => {
  const { added, missing } = compareRows(saved, given)
  return [
    ...added.map((row) => `added ${describeRow(row)}`),
    ...missing.map((row) => `missing ${describeRow(row)}`),
  ]
}

const saved = rowsOf('name', 'A:25 Ann', 'B:25x2 Bo', 'A:25 Cy', 'A:25 Di')

test.each([
  ['equal rows', 'A:25 Ann, B:25x2 Bo, A:25.0 Cy, A:25 Di'],
  ['a changed product', 'A:25 Ann, B:25x3 Bo, A:25 Cy, A:25 Di', 'added 3: B:25x3 Bo, missing 3: B:25x2 Bo'],
  ['a changed cell', 'A:25 Anna, B:25x2 Bo, A:25 Cy, A:25 Di', 'added 2: A:25x1 Anna, missing 2: A:25x1 Ann'],
  ['a missing row', 'B:25x2 Bo, A:25 Cy, A:25 Di', 'missing 2: A:25x1 Ann'],
  [
    'an added row before a changed one',
    'C:5 New, A:25 Ann, B:25x3 Bo, A:25 Cy, A:25 Di',
    'added 2: C:5x1 New, added 4: B:25x3 Bo, missing 3: B:25x2 Bo',
  ],
  [
    'all of it',
    'A:50 Di, B:25x2 Bo, A:25 Cy, C:5 Ed, C:5 Flo',
    'added 2: A:50x1 Di, added 5: C:5x1 Ed, added 6: C:5x1 Flo, missing 2: A:25x1 Ann, missing 5: A:25x1 Di',
  ],
])('%s', (_, given, expected = '') => {
  expect(differences(saved, rowsOf('name', ...given.split(', '))).join(', ')).toEqual(expected)
})

test('rows in a different order, and columns in a different order or without values, do not differ', () => {
  const none = { columns: { missing: [], added: [] }, added: [], missing: [] }
  const given = { ...saved, rows: saved.rows.toReversed() }
  expect(compareRows(saved, given)).toEqual({ ...none, isReordered: true })
  expect(compareRows(saved, saved).isReordered).toBe(false)
  const one = rowsOf('name note email', 'A:25 Ann  ann@example.com')
  const other = rowsOf('email name', 'A:25 ann@example.com Ann')
  expect(compareRows(one, other)).toEqual({ ...none, isReordered: false })
})

test('a renamed column does not make every row a changed one', () => {
  const one = rowsOf('name email', 'A:25 Ann ann@example.com', 'A:25 Bo bo@example.com')
  const other = rowsOf('name mail', 'A:25 Ann ann@example.com', 'A:30 Bo bo@example.com')
  expect(compareRows(one, other).columns).toEqual({ missing: ['email'], added: ['mail'] })
  expect(differences(one, other)).toEqual([
    'added 3: A:30x1 Bo bo@example.com',
    'missing 3: A:25x1 Bo bo@example.com',
  ])
})

test('equal lines are those with the same product, quantity and cells', () => {
  const texts = ['A:25 Ann', 'B:25 Ann', 'A:25.0 Ann', 'A:25x2 Ann', 'A:25 Cy', 'B:25 Ann', 'A:25 Ann']
  const rows = rowsOf('name', ...texts)
  expect(findEqualLines(rows)).toEqual([
    [2, 4, 8],
    [3, 7],
  ])
  const ofFlags = { ...rows, rows: rows.rows.map((each) => ({ ...each, line: 0 })) }
  expect(findEqualLines(ofFlags)).toEqual([])
})

test.each<[string | undefined, string | undefined, string | undefined]>([
  ['march', 'orders.csv', 'march'],
  [' march ', undefined, 'march'],
  ['a\u0308', undefined, 'ä'],
  ['👍'.repeat(60), undefined, '👍'.repeat(60)],
  [undefined, 'orders.csv', 'orders'],
  [undefined, '../march/orders.v2.csv', 'orders.v2'],
  [undefined, '/tmp/orders', 'orders'],
  [undefined, undefined, undefined],
])('--name %j, file %j: %j', (name, file, expected) => {
  expect(readBatchName(name, file)).toBe(expected)
})

const form = "1 to 60 characters, without '/', control or invisible characters, not beginning with '-' or '@'"

test.each([
  ...['', ' ', '-x', '@last', ' @x', 'a/b', 'a\tb', 'a\u200bb', 'a\u202eb', 'a\u00a0b', '\ud800'],
  'x'.repeat(61),
])('--name %j is refused', async (name) => {
  expect(await failureOf(() => readBatchName(name, 'orders.csv'))).toMatchObject({
    kind: 'usage',
    message: `--name is ${JSON.stringify(name)}; allowed: ${form}`,
    details: { field: '--name', advice: 'Choose another name, such as --name march-rewards.' },
  })
})

const advice =
  'Name the batch, such as --name march-rewards. The references of its orders begin with the name.'

test.each([
  ...['-', '/dev/stdin', '/dev/fd/63', '/proc/self/fd/3', '@orders.csv', './-orders.csv'],
  ...[`${'x'.repeat(61)}.csv`, 'a\u200bb.csv'],
])('%j gives no name', async (file) => {
  const { message, details } = await failureOf(() => readBatchName(undefined, file))
  const isFile = file.endsWith('.csv')
  expect(message).toMatch(
    isFile
      ? /^the file name ".*" is not a valid name for a batch; allowed: /
      : /^a batch from standard input or a pipe needs --name$/,
  )
  expect(details).toEqual({ field: '--name', advice })
})
