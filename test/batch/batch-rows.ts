// Short notations for the rows of a batch.
import { decimal, formatDecimal } from '../../src/contract/money/decimal.ts'
import type { BatchRow, BatchRows } from '../../src/operations/batch-limits.ts'

/** `GAME-US:25x3`, with an optional type after a slash, and cells: `GAME-US:25x3/range Ann ann@example.com`. */
export const row = (text: string, line = 0): BatchRow => {
  const [product = '', ...cells] = text.split(' ')
  const [sku = '', rest = ''] = product.split(':')
  const [value = '', productType = 'fixed'] = rest.split('/')
  const [quote = '', quantity = '1'] = value.split('x')
  return { line, sku, quote: formatDecimal(decimal(quote)), productType, quantity: Number(quantity), cells }
}

/** Numbers the rows from line 2, as in a file with a header. */
export const rowsOf = (columns: string, ...rows: readonly string[]): BatchRows => ({
  columns: columns === '' ? [] : columns.split(' '),
  rows: rows.map((text, index) => row(text, index + 2)),
})
