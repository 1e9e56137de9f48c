// Reads the rows of a batch from a file, standard input and --product.

import type { ProductList } from '../../../app/products/product-list.ts'
import { readInput } from '../../../app/read-input.ts'
import type { Context } from '../../../context.ts'
import { Failure, interruption, type Remedy } from '../../../errors.ts'
import { type BatchRow, type BatchRows, batchLimits } from '../../../operations/batch/plan/rows.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import type { PlanOptions } from '../buy-spec.ts'
import { type Columns, fields, findColumns, listHeader, type Mapping } from './columns.ts'
import {
  createInputError,
  createTooManyRows,
  decodeInput,
  formatCount,
  type InputError,
  type RowSink,
} from './input.ts'
import {
  createRowReader,
  describeProblems,
  type RowChecks,
  type RowProblem,
  type RowReader,
} from './row-reader.ts'

/** The source of the rows. The file '-' is standard input. The rows of --product come after those of the file. */
type RowInput = Pick<PlanOptions, 'file' | 'product' | 'map'>

export type ReadRows = {
  readonly rows: BatchRows
  /** Says which products the account does not sell. Undefined if it sells all of them, or if that is not known. */
  readonly unsold: Failure | undefined
}

/** Throws every violation of every row at once. */
export const readBatchRows = async (
  context: Context,
  input: RowInput,
  list: ProductList | undefined,
): Promise<ReadRows> => {
  const { file, product: products } = input
  const checks: RowChecks = { list, invalid: [], unsold: [] }
  const createFailure = (problems: readonly RowProblem[], remedy: Remedy): Failure =>
    new Failure('usage', 'the rows are not valid; nothing was sent', {
      field: file,
      violations: describeProblems(problems),
      ...remedy,
    })
  const table = file === undefined ? undefined : await readFileRows(context, file, input, checks)
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
    unsold: checks.unsold.length === 0 ? undefined : createFailure(checks.unsold, list?.remedy ?? {}),
  }
}

const readFileRows = async (
  context: Context,
  file: string,
  { map, product: products }: RowInput,
  checks: RowChecks,
): Promise<BatchRows> => {
  const { interrupted } = context
  const createError = createInputError(file)
  const { text, hasMark } = decodeInput(await readInput(context, file, 'the rows'), createError)
  const format = findFormat(file, text)
  if (format === undefined) throw createError('is empty')
  const kind = format === 'json' ? 'item' : 'line'
  const sink = createRowSink(kind, map, checks, products.length, createError)
  if (format === 'csv') {
    const { readCsv } = await import('./csv.ts')
    const written = await readCsv(Buffer.from(text), sink, createError, interrupted).catch((error) => {
      throw interrupted.aborted ? interruption(interrupted, 'interrupted; nothing was sent') : error
    })
    return { ...sink.finish(), format: { ...written, hasMark } }
  }
  const { readJsonArray, readJsonLines } = await import('./json-rows.ts')
  if (format === 'json') readJsonArray(text, sink, createError)
  else readJsonLines(text, sink)
  return sink.finish()
}

type Format = 'csv' | 'jsonl' | 'json'

const formatByEnding: ReadonlyMap<string, Format> = new Map([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
  ['json', 'json'],
])

/** By the ending of the file, otherwise by its first character. Undefined if there is only white space. */
const findFormat = (file: string, text: string): Format | undefined => {
  const first = /[^\0- ]/.exec(text)?.[0]
  if (first === undefined) return undefined
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  return formatByEnding.get(ending) ?? (first === '[' ? 'json' : first === '{' ? 'jsonl' : 'csv')
}

/** `others`: the number of rows that do not come from the file. */
const createRowSink = (
  kind: 'item' | 'line',
  map: readonly Mapping[],
  checks: RowChecks,
  others: number,
  createError: InputError,
): RowSink & { readonly finish: () => BatchRows } => {
  const rows: BatchRow[] = []
  let columns: Columns | undefined
  let readRow: RowReader | undefined
  let count = others
  return {
    setHeaders: (headers) => {
      columns = findColumns(headers, map, createError)
      readRow = createRowReader(columns, kind, checks)
    },
    addRow: (line, values) => {
      count += 1
      // Rows beyond the limit are only counted.
      if (count > batchLimits.rows) return
      const isRead = typeof values !== 'string'
      const row = isRead ? readRow?.(line, values) : undefined
      if (row !== undefined) rows.push(row)
      if (!isRead) checks.invalid.push({ kind, number: line, text: `the row ${values}` })
    },
    finish: () => {
      if (count > batchLimits.rows) throw createTooManyRows(count, createError)
      if (count === others) throw createError('has no rows')
      const names = columns?.others.map((index) => columns?.headers[index] ?? '') ?? []
      return { columns: names, header: columns && listHeader(columns), rows }
    },
  }
}

/** The rows have an empty cell in each column of the file. */
const readProducts = (products: readonly ProductInput[], columnCount: number, checks: RowChecks) => {
  const cells = Array.from({ length: columnCount }, () => '')
  const columns = findColumns(fields, [], createInputError('--product'))
  const readRow = createRowReader(columns, '--product', checks)
  return products.flatMap(({ sku, quote, quantity, type }, index) => {
    const row = readRow(index + 1, [sku, quote, quantity, type])
    return row === undefined ? [] : [{ ...row, line: 0, cells, given: undefined }]
  })
}
