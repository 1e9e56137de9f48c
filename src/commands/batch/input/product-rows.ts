// Turns the values of --product into rows.
import type { BatchRow } from '../../../operations/batch/plan/rows.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import type { Columns } from './columns.ts'
import { createRowReader, type RowChecks } from './row-reader.ts'

const columns: Columns = {
  headers: ['sku', 'quote', 'quantity', 'productType'],
  indexOf: { sku: 0, quote: 1, quantity: 2, productType: 3 },
  others: [],
  names: [],
}

/** The rows have an empty cell in each column of the file. */
export const readProducts = (
  products: readonly ProductInput[],
  columnCount: number,
  checks: RowChecks,
): BatchRow[] => {
  const cells = Array.from({ length: columnCount }, () => '')
  const readRow = createRowReader(columns, (number) => `--product ${number}`, checks)
  return products
    .map(({ sku, quote, quantity, type }, index) => readRow(index + 1, [sku, quote, quantity, type]))
    .filter((row) => row !== undefined)
    .map((row) => ({ ...row, line: 0, cells }))
}
