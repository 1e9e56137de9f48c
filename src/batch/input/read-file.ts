// Reads the rows of a batch from a file, standard input and --product, whatever the format, and JSON itself. Refuses a file if it is
// unclear which column is the quantity: a batch that misses such a column buys too few cards.

import type { ProductList } from '../../app/product-list.ts'
import { largeFile, readInput } from '../../app/read-input.ts'
import type { Context } from '../../context.ts'
import { tryReadJson } from '../../contract/json.ts'
import { isObject } from '../../contract/shape.ts'
import { formatGiven } from '../../contract/violations.ts'
import { Failure, interruption, type Remedy } from '../../errors.ts'
import type { CsvFormat } from '../../journal/tables/batches.ts'
import { type BatchRow, type BatchRows, batchLimits } from '../../operations/batch-limits.ts'
import type { ProductInput } from '../../text/flags.ts'
import { findNearest } from '../../text/words.ts'
import type { ColumnReading } from '../screens/batches.ts'
import type { PlanOptions } from '../spec.ts'
import {
  type ColumnChoice,
  type Columns,
  createInputError,
  createTooManyRows,
  decodeInput,
  fields,
  findColumns,
  fold,
  formatCount,
  guessHeader,
  headerWords,
  type InputError,
  isZip,
  listHeader,
  type RowSink,
  unclearQuantity,
} from './columns.ts'
import {
  createChecks,
  createNumberReader,
  createRowReader,
  describeProblems,
  type RowChecks,
  type RowProblem,
  type RowReader,
} from './row-reader.ts'

/** The source of the rows. The file '-' is standard input. The rows of --product come after those of the file. */
type RowInput = Pick<PlanOptions, 'file' | 'sheet' | 'product'> & ColumnChoice & { readonly wallet: string }

type ReadRows = {
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
): Promise<ReadRows> => {
  const { file, product: products } = input
  const createFailure = (problems: readonly RowProblem[], remedy: Remedy): Failure =>
    new Failure('usage', 'the rows are not valid; nothing was sent', {
      field: file,
      violations: describeProblems(problems),
      ...remedy,
    })
  const {
    table,
    reading,
    checks = createChecks(list),
  } = file === undefined ? {} : await readFileRows(context, { ...input, file }, list)
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

type FileRows = {
  readonly table: BatchRows
  readonly reading: ColumnReading
  readonly checks: RowChecks
}

type FileInput = RowInput & { readonly file: string }

const readFileRows = async (
  context: Context,
  input: FileInput,
  list: ProductList | undefined,
): Promise<FileRows> => {
  const createError = createInputError(input.file)
  const limit = { ...largeFile, advice: 'Split the file into several batches.' }
  const bytes = await readInput(context, input.file, 'the rows', limit)
  const { parse, ...format } = await openFormat(context, input.sheet, bytes, createError)
  const sink = createRowSink(format, input, list, createError)
  await parse(sink)
  return sink.finish()
}

type OpenedFormat = {
  /** What the numbers of rows count. */
  readonly kind: 'item' | 'line'
  /** Whether numbers are written as in spreadsheets of any country. Undefined: as in JSON. */
  readonly hasLocalNumbers?: boolean
  readonly sheet?: ColumnReading['sheet']
  readonly csv?: CsvFormat
  readonly parse: (sink: RowSink) => Promise<void>
}

const openFormat = async (
  { interrupted }: Context,
  sheet: string | undefined,
  bytes: Uint8Array,
  createError: InputError,
): Promise<OpenedFormat> => {
  const orInterrupted = (error: unknown): never => {
    throw interrupted.aborted ? interruption(interrupted, 'interrupted; nothing was sent') : error
  }
  if (isZip(bytes, createError)) {
    const { openWorkbook } = await import('./read-workbook.ts')
    const workbook = await openWorkbook(bytes, sheet, createError, interrupted).catch(orInterrupted)
    const parse = (sink: RowSink) => workbook.parse(sink).catch(orInterrupted)
    return { kind: 'line', hasLocalNumbers: true, sheet: workbook.sheet, parse }
  }
  if (sheet !== undefined) throw createError('is not an .xlsx workbook, so it has no sheets', 'Omit --sheet.')
  const { text, hasMark } = decodeInput(bytes, createError)
  const first = /[^\0- ]/.exec(text)?.[0]
  if (first === undefined) throw createError('is empty')
  if (first === '[' || first === '{') {
    return first === '['
      ? { kind: 'item', parse: async (sink) => readJsonArray(text, sink, createError) }
      : { kind: 'line', parse: async (sink) => readJsonLines(text, sink) }
  }
  const { findForm, readCsv } = await import('./csv.ts')
  const { separator, lineEnd } = findForm(text)
  const parse = (sink: RowSink) =>
    readCsv(text, separator, sink, createError, interrupted).catch(orInterrupted)
  const csv = { separator, lineEnd, hasMark }
  return { kind: 'line', hasLocalNumbers: separator !== ',', csv, parse }
}

const createRowSink = (
  { kind, hasLocalNumbers, sheet, csv }: Omit<OpenedFormat, 'parse'>,
  input: FileInput,
  list: ProductList | undefined,
  createError: InputError,
): RowSink & { readonly finish: () => FileRows } => {
  const others = input.product.length
  const checks = createChecks(list)
  const readNumber = hasLocalNumbers === undefined ? undefined : createNumberReader(hasLocalNumbers)
  const rows: BatchRow[] = []
  let columns: Columns | undefined
  let readRow: RowReader | undefined
  let quantities: ReturnType<typeof findQuantityColumns> | undefined
  let count = others
  return {
    setHeaders: (headers) => {
      columns = findColumns(headers, input, createError)
      readRow = createRowReader(columns, kind, checks, readNumber, sheet && input.wallet)
      quantities = findQuantityColumns(columns, input)
      return columns.indexOf
    },
    addRow: (line, values) => {
      count += 1
      if (count > batchLimits.rows) throw createTooManyRows(createError)
      if (typeof values === 'string') {
        checks.invalid.push({ kind, number: line, text: `the row ${values}` })
        return
      }
      const row = readRow?.(line, values)
      if (row !== undefined) rows.push(row)
      quantities?.addRow(values)
    },
    finish: () => {
      if (count === others) throw createError('has no rows')
      refuseUnclearQuantity(quantities?.list() ?? [], createError)
      const { headers = [], indexOf } = columns ?? {}
      const nameOf = (index = -1): string | undefined => headers[index]
      const kept = columns?.others.map((index) => headers[index] ?? '') ?? []
      return {
        table: { columns: kept, header: columns && listHeader(columns), rows, ...(csv && { format: csv }) },
        reading: {
          ...{ kept, empty: checks.empty, typesOf: list?.name },
          sheet,
          hasDecimalCommas: readNumber?.style() === ',',
          likelyType: guessHeader('productType', kept),
          columns: {
            sku: nameOf(indexOf?.sku),
            quote: nameOf(indexOf?.quote),
            quantity: nameOf(indexOf?.quantity),
            productType: nameOf(indexOf?.productType),
          },
        },
        checks,
      }
    },
  }
}

/** The columns that may be the number of cards, and a function that sees the values of each row. */
const findQuantityColumns = (
  { headers, indexOf, others }: Columns,
  { ignore }: Pick<ColumnChoice, 'ignore'>,
) => {
  const ignored = new Set(ignore.map((name) => name.toLowerCase()))
  const isFree = (index: number): boolean =>
    indexOf.quantity === -1 && !ignored.has(headers[index]?.toLowerCase() ?? '')
  const folded = new Map(others.filter(isFree).map((index) => [index, fold(headers[index] ?? '')]))
  const found = new Set<number>()
  const unclear = new Set<number>()
  for (const [index, header] of folded) {
    if (headerWords.quantity.test(header) || findNearest(header, ['quantity'], () => 2).length > 0)
      found.add(index)
    else if (unclearQuantity.test(header)) unclear.add(index)
  }
  return {
    addRow: (values: readonly unknown[]): void => {
      for (const index of unclear)
        if (!/^([1-9]\d{0,3})?$/.test(String(values[index] ?? '').trim())) unclear.delete(index)
    },
    list: (): readonly string[] =>
      others.filter((index) => found.has(index) || unclear.has(index)).map((index) => headers[index] ?? ''),
  }
}

const refuseUnclearQuantity = (names: readonly string[], createError: InputError): void => {
  const [first] = names
  if (first === undefined) return
  const quoted = names.map((name) => `'${name}'`).join(' and ')
  throw createError(
    `has no column 'quantity', but ${quoted} may contain the number of cards`,
    (suggest) =>
      `Use it with ${suggest.flags({ map: `quantity=${first}` })}, or buy 1 card a row with ${suggest.flags({ ignore: names })}`,
  )
}

const limits = { ...largeFile, maxItems: batchLimits.rows }

const listForm = 'a list such as [{"sku": "GAME-US", "quote": 25}]'

/** `problem`: why the item could not be read. */
type Item = { readonly line: number; readonly value?: unknown; readonly problem?: string }

const readJsonArray = (text: string, sink: RowSink, createError: InputError): void => {
  const { document, problem } = tryReadJson(text, limits)
  if (problem !== undefined) throw createError(problem.message)
  if (!Array.isArray(document)) throw createError(`is ${formatGiven(document)}; allowed: ${listForm}`)
  const items = document.map((value, index) => ({ line: index + 1, value }))
  addItems(items, sink)
}

const readJsonLines = (text: string, sink: RowSink): void => {
  const items: Item[] = []
  let line = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const source = text.slice(start, found === -1 ? text.length : found)
    start += source.length + 1
    line += 1
    if (source.trim() === '') continue
    const { document: value, problem } = tryReadJson(source, limits)
    // The document is one line, so the line number in the message is always 1.
    items.push({ line, value, problem: problem?.message.replace(/at line 1, (?=column \d+$)/, 'at ') })
  }
  addItems(items, sink)
}

/** The headers are the keys of all objects, in the order of their first appearance. */
const addItems = (items: readonly Item[], sink: RowSink): void => {
  const keys = new Set<string>()
  const objects = items.map(({ value }) => value).filter(isObject)
  for (const object of objects) for (const key of Object.keys(object)) keys.add(key)
  if (objects.length > 0) sink.setHeaders(Array.from(keys, (key) => key.toWellFormed()))
  for (const { line, value, problem } of items) {
    if (isObject(value)) {
      const cells = Array.from(keys, (key) => (Object.hasOwn(value, key) ? value[key] : undefined))
      sink.addRow(line, cells)
    } else sink.addRow(line, problem ?? `is ${formatGiven(value)}; allowed: a JSON object`)
  }
}
