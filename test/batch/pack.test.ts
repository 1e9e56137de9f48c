// src/batch/make-plan.ts
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { packRows } from '../../src/batch/make-plan.ts'
import { orderLimits } from '../../src/contract/limits.ts'
import { decimal, formatDecimal } from '../../src/contract/money/decimal.ts'
import type { RowProduct } from '../../src/operations/batch-limits.ts'
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
