// Reads the rows of a batch from a file, standard input and --product.
import type { Context } from '../../../context.ts'
import { Failure, interruption } from '../../../errors.ts'
import type { CsvFormat } from '../../../journal/batches/batch.ts'
import { type BatchRow, type BatchRows, batchLimits } from '../../../operations/batch/plan/rows.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import { readInput } from '../../shared/read-input.ts'
import { type ColumnMap, type Columns, findColumns, listHeader } from './columns.ts'
import {
  createInputError,
  createTooManyRows,
  decodeInput,
  formatCount,
  type InputError,
  type RowSink,
} from './input.ts'
import { describeProblems, type RowProblem } from './row-problems.ts'
import { createRowReader, type RowChecks, type RowReader } from './row-reader.ts'

export type BatchInput = {
  /** A file; '-' is standard input. */
  readonly file: string | undefined
  /** Added after the rows of the file. */
  readonly products: readonly ProductInput[]
  readonly map: ColumnMap
} & Pick<RowChecks, 'list'>

export type ReadRows = {
  readonly rows: BatchRows
  /** Says which products the account does not sell. Undefined if it sells all of them, or if that is not known. */
  readonly unsold: Failure | undefined
}

/** Throws every violation of every row at once. */
export const readBatchRows = async (
  context: Context,
  { file, products, map, list }: BatchInput,
): Promise<ReadRows> => {
  const invalid: RowProblem[] = []
  const unsold: RowProblem[] = []
  const checks = { list, invalid, unsold }
  const createFailure = (problems: readonly RowProblem[], fix: string) =>
    new Failure('usage', 'the rows are not valid; nothing was sent', {
      field: file,
      violations: describeProblems(problems),
      fix,
    })
  const { columns, header, format, rows } =
    file === undefined
      ? { columns: [], header: undefined, format: undefined, rows: [] }
      : await readFileRows(context, file, { map, checks, others: products.length })
  rows.push(...readProducts(products, columns.length, checks))
  if (invalid.length > 0) {
    throw createFailure([...invalid, ...unsold], 'Correct the rows, then run the command again.')
  }
  if (rows.length === 0) {
    throw new Failure('usage', 'there are no rows; nothing was sent', {
      fix: 'Pass a file, or --product SKU:QUOTExQUANTITY.',
    })
  }
  checkCards(rows)
  return {
    rows: { columns, header, format, rows },
    unsold: unsold.length === 0 ? undefined : createFailure(unsold, list?.fix ?? ''),
  }
}

type FileOptions = {
  readonly map: ColumnMap
  readonly checks: RowChecks
  /** The number of rows beside those of the file. */
  readonly others: number
}

const readFileRows = async (context: Context, file: string, options: FileOptions) => {
  const createError = createInputError(file)
  const { bytes, hasMark } = decodeInput(await readInput(context, file, 'the rows'), createError)
  const format = findFormat(file, bytes)
  if (format === undefined) throw createError('is empty')
  const table = createRowSink(format, options, createError)
  let written: CsvFormat | undefined
  if (format === 'csv') {
    const { readCsv } = await import('./csv.ts')
    const { interrupted } = context
    const found = await readCsv(bytes, table.sink, { createError, interrupted }).catch((error) => {
      throw interrupted.aborted ? interruption(interrupted, 'interrupted; nothing was sent') : error
    })
    written = { ...found, hasMark }
  } else {
    const { readJsonArray, readJsonLines } = await import('./json-rows.ts')
    const text = new TextDecoder().decode(bytes)
    if (format === 'json') readJsonArray(text, table.sink, createError)
    else readJsonLines(text, table.sink, createError)
  }
  return { ...table.finish(), format: written }
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
const findFormat = (file: string, bytes: Uint8Array): Format | undefined => {
  const first = bytes.find((byte) => byte > 0x20)
  if (first === undefined) return undefined
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  const found = formatByEnding.get(ending)
  if (found !== undefined) return found
  const character = String.fromCharCode(first)
  return character === '[' ? 'json' : character === '{' ? 'jsonl' : 'csv'
}

const createRowSink = (format: Format, { map, checks, others }: FileOptions, createError: InputError) => {
  const kind = format === 'json' ? 'item' : 'line'
  const rows: BatchRow[] = []
  let columns: Columns | undefined
  let readRow: RowReader | undefined
  let count = others
  const sink: RowSink = {
    setHeaders: (headers) => {
      columns = findColumns(headers, map, createError)
      readRow = createRowReader(columns, kind, checks)
    },
    addRow: (line, values) => {
      count += 1
      // Rows beyond the limit are only counted.
      const row = count > batchLimits.rows ? undefined : readRow?.(line, values)
      if (row !== undefined) rows.push(row)
    },
    refuseRow: (number, problem) => {
      count += 1
      checks.invalid.push({ kind, number, text: `the row ${problem}` })
    },
  }
  const finish = () => {
    if (count > batchLimits.rows) throw createTooManyRows(count, createError)
    if (count === others) throw createError('has no rows')
    return { columns: columns?.names ?? [], header: columns && listHeader(columns), rows }
  }
  return { sink, finish }
}

const productColumns: Columns = {
  headers: ['sku', 'quote', 'quantity', 'productType'],
  indexOf: { sku: 0, quote: 1, quantity: 2, productType: 3 },
  others: [],
  names: [],
}

/** The rows have an empty cell in each column of the file. */
const readProducts = (
  products: readonly ProductInput[],
  columnCount: number,
  checks: RowChecks,
): BatchRow[] => {
  const cells = Array.from({ length: columnCount }, () => '')
  const readRow = createRowReader(productColumns, '--product', checks)
  return products
    .map(({ sku, quote, quantity, type }, index) => readRow(index + 1, [sku, quote, quantity, type]))
    .filter((row) => row !== undefined)
    .map((row) => ({ ...row, line: 0, cells, given: undefined }))
}

const checkCards = (rows: readonly BatchRow[]): void => {
  const cards = rows.reduce((sum, { quantity }) => sum + quantity, 0)
  if (cards <= batchLimits.cards) return
  const limit = `a batch holds at most ${formatCount(batchLimits.cards)}`
  throw new Failure('usage', `the rows have ${formatCount(cards)} cards; ${limit}; nothing was sent`, {
    fix: 'Split the rows into several batches.',
  })
}
