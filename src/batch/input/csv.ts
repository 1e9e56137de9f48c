// Reads CSV (RFC 4180) with a header.

import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { CsvFormat } from '../../journal/tables/batches.ts'
import { batchLimits } from '../../operations/batch-limits.ts'
import {
  createTooManyColumns,
  formatCount,
  type InputError,
  longCell,
  maxCellLength,
  maxColumns,
  type RowSink,
} from './columns.ts'

/** Ctrl-C and SIGTERM end the reading. */
export const readCsv = async (
  text: string,
  delimiter: string,
  sink: RowSink,
  createError: InputError,
  signal: AbortSignal,
): Promise<void> => {
  refuseLarge(text, delimiter, createError)
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
    await pipeline(listChunks(Buffer.from(text)), parser, { signal })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const problem = problems.get(error.code) ?? 'has a quotation mark in a cell that does not begin with one,'
    throw createError(`${problem} in the row at line ${line}`, advice)
  }
}

/** The parser reads as many in less than two seconds. 100,000 rows of 100 columns have as many. */
const maxCells = 10_000_000
/** With empty lines, of which a spreadsheet may write many. */
const maxRows = batchLimits.rows * 2

/** Before the parser, which needs minutes and gigabytes for a line of millions of separators. */
const refuseLarge = (text: string, delimiter: string, createError: InputError): void => {
  let [line, rows, columns, cells, isQuoted] = [1, 1, 1, 1, false]
  let [start, size] = [line, 0]
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '"') isQuoted = !isQuoted
    const isLineEnd = character === '\n' || (character === '\r' && text[index + 1] !== '\n')
    if (isLineEnd) line += 1
    if (!isQuoted && (isLineEnd || character === delimiter)) {
      columns = isLineEnd ? 1 : columns + 1
      if (isLineEnd) rows += 1
      cells += 1
      start = line
      size = 0
      if (rows > maxRows) {
        throw createError(
          `has more than ${formatCount(maxRows)} rows and empty lines`,
          'Remove the empty lines, or split the file into several batches.',
        )
      }
      // Empty columns at the end are allowed, within reason.
      if (columns > maxColumns * 4) throw createTooManyColumns(createError)
      if (cells > maxCells)
        throw createError(
          `has more than ${formatCount(maxCells)} cells`,
          'Remove the columns that you do not need.',
        )
    } else {
      // A quotation mark in a cell is doubled. Its quotation marks, and the return at its end, are not its content.
      size += character === '"' ? 0.5 : 1
      if (size <= maxCellLength + 2) continue
      throw createError(
        `has ${longCell}, at line ${start}`,
        isQuoted ? 'Close its quotation mark, or shorten the cell.' : 'Shorten the cell.',
      )
    }
  }
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

/** Headers are shorter. */
const longestHeader = 65_536

/** `separator`: the most frequent one of the header, outside quotation marks. */
export const findForm = (text: string): Pick<CsvFormat, 'separator' | 'lineEnd'> => {
  const [header = ''] = /^(?:"[^"]*"|[^"\r\n])*/.exec(text.trimStart().slice(0, longestHeader)) ?? []
  const unquoted = header.replaceAll(/"[^"]*"/g, '')
  const countOf = (separator: string): number => unquoted.split(separator).length
  const [separator = ','] = [',', ';', '\t'].toSorted((one, other) => countOf(other) - countOf(one))
  const [lineEnd = '\n'] = /\r\n|\n|\r/.exec(text) ?? []
  return { separator, lineEnd: lineEnd as CsvFormat['lineEnd'] }
}
