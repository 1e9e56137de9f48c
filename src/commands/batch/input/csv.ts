// Reads CSV (RFC 4180) with a header.
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { CsvFormat } from '../../../journal/batches/batch.ts'
import { batchLimits } from '../../../operations/batch/plan/rows.ts'
import { createTooManyColumns, maxColumns } from './columns.ts'
import { createTooManyRows, type InputError, type RowSink } from './input.ts'

/** Ctrl-C and SIGTERM end the reading. Returns how the file is written. */
export const readCsv = async (
  bytes: Uint8Array,
  sink: RowSink,
  { createError, interrupted }: { readonly createError: InputError; readonly interrupted: AbortSignal },
): Promise<Pick<CsvFormat, 'separator' | 'lineEnd'>> => {
  const delimiter = findDelimiter(bytes)
  checkSize(bytes, delimiter, createError)
  let line = 1
  let hasHeader = false
  const parser = parse({
    delimiter,
    // Edited files mix the kinds of line breaks.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells: string[]) => {
      const first = line
      line += countLines(cells)
      if (cells.every((cell) => cell.trim() === '')) return null
      if (hasHeader) sink.addRow(first, cells)
      else sink.setHeaders(cells)
      hasHeader = true
      return null
    },
  })
  try {
    await pipeline(listChunks(bytes), parser, ignoreRecords(), { signal: interrupted })
  } catch (error) {
    if (error instanceof CsvError)
      throw createError(`${describeError(error)} in the row at line ${line}`, fix)
    throw error
  }
  return { separator: delimiter, lineEnd: findLineEnd(bytes) }
}

/** Of the first line. */
const findLineEnd = (bytes: Uint8Array): string => {
  const at = bytes.findIndex((byte) => byte === lineFeed || byte === carriageReturn)
  if (at === -1 || bytes[at] === lineFeed) return '\n'
  return bytes[at + 1] === lineFeed ? '\r\n' : '\r'
}

const fix =
  'Put a cell with quotation marks, separators or line breaks in quotation marks. Double each quotation mark in it.'

const describeError = ({ code }: CsvError): string => {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'has a quotation mark that is never closed,'
  if (code === 'CSV_INVALID_CLOSING_QUOTE') return 'has text after a closing quotation mark'
  return 'has a quotation mark in a cell that does not begin with one,'
}

/** The parser counts a CRLF inside a cell as two lines, so they are counted here. */
const countLines = (cells: readonly string[]): number => {
  let count = 1
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) count += cell.match(/\r\n?|\n/g)?.length ?? 0
  }
  return count
}

const chunkBytes = 256 * 1024

/** Lets signals arrive between two chunks. */
async function* listChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes)
    await setImmediate()
  }
}

/** The parser has passed each record on. */
const ignoreRecords = (): Transform =>
  new Transform({ objectMode: true, transform: (_record, _encoding, done) => done() })

const [quote, space, lineFeed, carriageReturn] = [0x22, 0x20, 0x0a, 0x0d]

/** A first look at the bytes: the parser takes minutes for millions of empty rows, and gigabytes for columns. */
const checkSize = (bytes: Uint8Array, delimiter: string, createError: InputError): void => {
  const separator = delimiter.charCodeAt(0)
  let [rows, emptyRows, columns] = [0, 0, 1]
  let [isQuoted, isEmpty] = [false, true]
  const endRow = (): void => {
    if (isEmpty) emptyRows += 1
    else rows += 1
    columns = 1
    isEmpty = true
  }
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number
    const isSeparator = byte === separator && !isQuoted
    if (byte === quote) isQuoted = !isQuoted
    else if (byte > space && !isSeparator) isEmpty = false
    if (isSeparator) columns += 1
    const isBreak = byte === carriageReturn || (byte === lineFeed && bytes[index - 1] !== carriageReturn)
    if (isBreak && !isQuoted) endRow()
    // Empty columns at the end are allowed, within reason.
    if (columns > 4 * maxColumns) throw createTooManyColumns(createError)
  }
  if (!isEmpty) rows += 1
  // The header is a row, too.
  if (rows - 1 > batchLimits.rows) throw createTooManyRows(rows - 1, createError)
  if (emptyRows > batchLimits.rows) throw createError('has too many empty lines', 'Remove the empty lines.')
}

const delimiters = [',', ';', '\t']

/** Returns the most frequent delimiter of the header, outside quotation marks. */
const findDelimiter = (bytes: Uint8Array): string => {
  const counts = new Map<string, number>()
  let isQuoted = false
  let hasText = false
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (character === '\n' || character === '\r') {
      if (hasText) break
    } else if (character.trim() !== '' && !delimiters.includes(character)) hasText = true
    if (delimiters.includes(character)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  return delimiters.find((each) => counts.get(each) === most) ?? ','
}
