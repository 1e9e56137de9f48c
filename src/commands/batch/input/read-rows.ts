// Reads the rows of a batch from a file, standard input and --product.

import type { ProductList } from '../../../app/products/product-list.ts'
import type { Context } from '../../../context.ts'
import { Failure, type Remedy } from '../../../errors.ts'
import { type BatchRows, batchLimits } from '../../../operations/batch/plan/rows.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import type { PlanOptions } from '../buy-spec.ts'
import type { ColumnReading } from '../screens/column-reading.ts'
import { type ColumnChoice, fields, findColumns } from './columns.ts'
import { createInputError, formatCount } from './input.ts'
import { type FileInput, readFileRows } from './read-file.ts'
import {
  createChecks,
  createRowReader,
  describeProblems,
  type RowChecks,
  type RowProblem,
} from './row-reader.ts'

/** The source of the rows. The file '-' is standard input. The rows of --product come after those of the file. */
type RowInput = Pick<PlanOptions, 'file' | 'sheet' | 'product'> & ColumnChoice & Pick<FileInput, 'wallet'>

export type ReadRows = {
  readonly rows: BatchRows
  /** Undefined if there is no file. */
  readonly reading: ColumnReading | undefined
  /** Says which products the account does not sell. Undefined if it sells all of them, or if that is not known. */
  readonly unsold: Failure | undefined
}

/** Throws every violation of every row at once. */
export const readBatchRows = async (
  context: Context,
  input: RowInput,
  list: ProductList | undefined,
  ask: FileInput['ask'],
): Promise<ReadRows> => {
  const { file, product: products, ...ofFile } = input
  const createFailure = (problems: readonly RowProblem[], remedy: Remedy): Failure =>
    new Failure('usage', 'the rows are not valid; nothing was sent', {
      field: file,
      violations: describeProblems(problems),
      ...remedy,
    })
  const others = products.length
  const {
    table,
    reading,
    checks = createChecks(list),
  } = file === undefined ? {} : await readFileRows(context, { ...ofFile, file, others, list, ask })
  const columns = table?.columns ?? []
  const rows = [...(table?.rows ?? []), ...readProducts(products, columns.length, checks)]
  if (checks.invalid.length > 0) {
    const problems = [...checks.invalid, ...checks.unsold]
    throw createFailure(problems, { advice: 'Correct the rows, then run the command again.' })
  }
  if (rows.length === 0) {
    throw new Failure('usage', 'there are no rows; nothing was sent', {
      advice: 'Pass a file, or --product SKU:QUOTExQUANTITY.',
    })
  }
  const cards = rows.reduce((sum, { quantity }) => sum + quantity, 0)
  if (cards > batchLimits.cards) {
    const limit = `a batch holds at most ${formatCount(batchLimits.cards)}`
    throw new Failure('usage', `the rows have ${formatCount(cards)} cards; ${limit}; nothing was sent`, {
      advice: 'Split the rows into several batches.',
    })
  }
  return {
    rows: { ...table, columns, rows },
    reading,
    unsold: checks.unsold.length === 0 ? undefined : createFailure(checks.unsold, list?.remedy ?? {}),
  }
}

/** The rows have an empty cell in each column of the file. */
const readProducts = (products: readonly ProductInput[], columnCount: number, checks: RowChecks) => {
  const cells = Array.from({ length: columnCount }, () => '')
  const columns = findColumns(fields, { map: [], ignore: [] }, createInputError('--product'))
  const readRow = createRowReader(columns, '--product', checks)
  return products.flatMap(({ sku, quote, quantity, type }, index) => {
    const row = readRow(index + 1, [sku, quote, quantity, type])
    return row === undefined ? [] : [{ ...row, line: 0, cells, given: undefined }]
  })
}
