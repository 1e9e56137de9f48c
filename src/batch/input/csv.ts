// Reads CSV (RFC 4180) with a header.

import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { CsvFormat } from '../../journal/tables/batches.ts'
import { batchLimits } from '../../operations/batch-limits.ts'
import { createTooManyColumns, maxColumns } from './columns.ts'
import { createTooManyRows, type InputError, type RowSink } from './input.ts'

/** Ctrl-C and SIGTERM end the reading. Returns how lines end. */
export const readCsv = async (
  bytes: Uint8Array,
  delimiter: string,
  sink: RowSink,
  createError: InputError,
  signal: AbortSignal,
): Promise<CsvFormat['lineEnd']> => {
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
      // The parser counts a CRLF inside a cell as two lines.
      line += 1 + (cells.join(' ').match(/\r\n?|\n/g)?.length ?? 0)
      if (cells.every((cell) => cell.trim() === '')) return null
      if (hasHeader) sink.addRow(first, cells)
      else sink.setHeaders(cells)
      hasHeader = true
      return null
    },
  })
  try {
    await pipeline(listChunks(bytes), parser, { signal })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const problem = problems.get(error.code) ?? 'has a quotation mark in a cell that does not begin with one,'
    throw createError(`${problem} in the row at line ${line}`, advice)
  }
  const lineBreak = bytes.findIndex((byte) => byte === lineFeed || byte === carriageReturn)
  if (bytes[lineBreak] !== carriageReturn) return '\n'
  return bytes[lineBreak + 1] === lineFeed ? '\r\n' : '\r'
}

const problems: ReadonlyMap<string, string> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'has a quotation mark that is never closed,'],
  ['CSV_INVALID_CLOSING_QUOTE', 'has text after a closing quotation mark'],
])

const advice =
  'Put a cell with quotation marks, separators or line breaks in quotation marks. Double each quotation mark in it.'

const chunkBytes = 256 * 1024

/** Lets signals arrive between two chunks. */
async function* listChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes)
    await setImmediate()
  }
}

const [quote, space, lineFeed, carriageReturn] = [0x22, 0x20, 0x0a, 0x0d]

/** A first look at the bytes: the parser takes minutes for millions of empty rows, and gigabytes for columns. */
const checkSize = (bytes: Uint8Array, delimiter: string, createError: InputError): void => {
  const separator = delimiter.charCodeAt(0)
  let [rows, emptyRows, columns] = [0, 0, 1]
  let [isQuoted, isEmpty] = [false, true]
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number
    const isSeparator = byte === separator && !isQuoted
    if (byte === quote) isQuoted = !isQuoted
    else if (byte > space && !isSeparator) isEmpty = false
    if (isSeparator) columns += 1
    // Empty columns at the end are allowed, within reason.
    if (columns > 4 * maxColumns) throw createTooManyColumns(createError)
    const isBreak = byte === carriageReturn || (byte === lineFeed && bytes[index - 1] !== carriageReturn)
    if (!isBreak || isQuoted) continue
    if (isEmpty) emptyRows += 1
    else rows += 1
    columns = 1
    isEmpty = true
  }
  if (!isEmpty) rows += 1
  // The header is a row, too.
  if (rows - 1 > batchLimits.rows) throw createTooManyRows(rows - 1, createError)
  if (emptyRows > batchLimits.rows) throw createError('has too many empty lines', 'Remove the empty lines.')
}

/** Returns the most frequent delimiter of the header, outside quotation marks. */
export const findDelimiter = (bytes: Uint8Array): string => {
  const counts = new Map([',', ';', '\t'].map((each) => [each, 0]))
  let [isQuoted, hasText] = [false, false]
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    const count = counts.get(character)
    if (count !== undefined) counts.set(character, count + 1)
    else if (character.trim() !== '') hasText = true
    else if (hasText && (byte === lineFeed || byte === carriageReturn)) break
  }
  const most = Math.max(...counts.values())
  return [...counts.keys()].find((each) => counts.get(each) === most) ?? ','
}
