// Reads CSV (RFC 4180) with a header.
import { CsvError, parse } from 'csv-parse/sync'
import type { InputError } from './input-error.ts'
import type { RowSink } from './row-sink.ts'

export const readCsv = (bytes: Uint8Array, sink: RowSink, createError: InputError): void => {
  let line = 1
  let hasHeader = false
  try {
    parse(bytes, {
      delimiter: findDelimiter(bytes),
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
  } catch (error) {
    if (error instanceof CsvError)
      throw createError(`${describeError(error)} in the row at line ${line}`, fix)
    throw error
  }
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
