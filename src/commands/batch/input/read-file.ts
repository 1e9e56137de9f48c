// Reads the rows of a file or of standard input, whatever its format. Asks which column is the quantity if that is unclear.
import { largeFile, readInput } from '../../../app/read-input.ts'
import type { Context } from '../../../context.ts'
import { interruption } from '../../../errors.ts'
import type { CsvFormat } from '../../../journal/tables/batches.ts'
import { type BatchRow, type BatchRows, batchLimits } from '../../../operations/batch/plan/rows.ts'
import type { Ask } from '../../../ui/prompts/asking.ts'
import type { ColumnReading } from '../screens/column-reading.ts'
import { type ColumnChoice, type Columns, findColumns, listHeader } from './columns.ts'
import { guessHeader } from './header-words.ts'
import {
  createInputError,
  createTooManyRows,
  decodeInput,
  type InputError,
  isZip,
  type RowSink,
} from './input.ts'
import { createNumberReader } from './numbers.ts'
import { decideQuantity, findQuantityColumns } from './quantity-column.ts'
import { createChecks, createRowReader, type RowChecks, type RowReader } from './row-reader.ts'

type FileRows = {
  readonly table: BatchRows
  readonly reading: ColumnReading
  readonly checks: RowChecks
}

export type FileInput = ColumnChoice & {
  readonly file: string
  readonly sheet: string | undefined
  readonly wallet: string
  /** The number of rows that do not come from the file. */
  readonly others: number
  readonly list: RowChecks['list']
  /** Undefined if the command cannot prompt. */
  readonly ask: (() => Promise<Pick<Ask, 'choose'>>) | undefined
}

export const readFileRows = async (context: Context, input: FileInput): Promise<FileRows> => {
  const createError = createInputError(input.file)
  const limit = { ...largeFile, advice: 'Split the file into several batches.' }
  const bytes = await readInput(context, input.file, 'the rows', limit)
  const { parse, ...format } = await openFormat(context, input, bytes, createError)
  const read = async (choice: ColumnChoice) => {
    const sink = createRowSink(format, { ...input, ...choice }, createError)
    return sink.finish(await parse(sink))
  }
  const first = await read(input)
  if (first.nearMisses.length === 0) return first
  const decision = await decideQuantity(first.nearMisses, await input.ask?.(), createError)
  if (decision === undefined) throw interruption(context.interrupted, 'cancelled; nothing was sent')
  return read({ map: [...input.map, ...decision.map], ignore: [...input.ignore, ...decision.ignore] })
}

type OpenedFormat = {
  /** What the numbers of rows count. */
  readonly kind: 'item' | 'line'
  /** Whether numbers are written as in spreadsheets of any country. Undefined: as in JSON. */
  readonly hasLocalNumbers?: boolean
  readonly sheet?: ColumnReading['sheet']
  readonly parse: (sink: RowSink) => Promise<CsvFormat | undefined>
}

const openFormat = async (
  { interrupted }: Context,
  { file, sheet }: Pick<FileInput, 'file' | 'sheet'>,
  bytes: Uint8Array,
  createError: InputError,
): Promise<OpenedFormat> => {
  const orInterrupted = (error: unknown): never => {
    throw interrupted.aborted ? interruption(interrupted, 'interrupted; nothing was sent') : error
  }
  if (isZip(bytes, createError)) {
    const { openWorkbook } = await import('./workbook/read-workbook.ts')
    const workbook = await openWorkbook(bytes, sheet, createError, interrupted).catch(orInterrupted)
    const parse = async (sink: RowSink) => {
      await workbook.parse(sink).catch(orInterrupted)
      return undefined
    }
    return { kind: 'line', hasLocalNumbers: true, sheet: workbook.sheet, parse }
  }
  if (sheet !== undefined) throw createError('is not an .xlsx workbook, so it has no sheets', 'Omit --sheet.')
  const { text, hasMark } = decodeInput(bytes, createError)
  const format = findFormat(file, text)
  if (format === undefined) throw createError('is empty')
  if (format === 'csv') {
    const { findDelimiter, readCsv } = await import('./csv.ts')
    const encoded = Buffer.from(text)
    const separator = findDelimiter(encoded)
    const parse = async (sink: RowSink) => {
      const lineEnd = await readCsv(encoded, separator, sink, createError, interrupted).catch(orInterrupted)
      return { separator, lineEnd, hasMark }
    }
    return { kind: 'line', hasLocalNumbers: separator !== ',', parse }
  }
  const { readJsonArray, readJsonLines } = await import('./json-rows.ts')
  return format === 'json'
    ? { kind: 'item', parse: async (sink) => void readJsonArray(text, sink, createError) }
    : { kind: 'line', parse: async (sink) => void readJsonLines(text, sink) }
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

const createRowSink = (
  { kind, hasLocalNumbers, sheet }: Omit<OpenedFormat, 'parse'>,
  input: FileInput,
  createError: InputError,
): RowSink & {
  readonly finish: (format: CsvFormat | undefined) => FileRows & { readonly nearMisses: readonly string[] }
} => {
  const { others, list } = input
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
      // Rows beyond the limit are only counted.
      if (count > batchLimits.rows) return
      if (typeof values === 'string') {
        checks.invalid.push({ kind, number: line, text: `the row ${values}` })
        return
      }
      const row = readRow?.(line, values)
      if (row !== undefined) rows.push(row)
      quantities?.addRow(values)
    },
    finish: (format) => {
      if (count > batchLimits.rows) throw createTooManyRows(count, createError)
      if (count === others) throw createError('has no rows')
      const { headers = [], indexOf } = columns ?? {}
      const nameOf = (index = -1): string | undefined => headers[index]
      const kept = columns?.others.map((index) => headers[index] ?? '') ?? []
      return {
        table: { columns: kept, header: columns && listHeader(columns), rows, ...(format && { format }) },
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
        nearMisses: quantities?.list() ?? [],
      }
    },
  }
}
