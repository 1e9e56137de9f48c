// What the formats of the input share: where rows go, the errors of the input as a whole, and its encoding.

import { type Advice, Failure } from '../../errors.ts'
import { batchLimits } from '../../operations/batch-limits.ts'

export type RowSink = {
  /** Returns the indexes of columns that a workbook checks, or -1. */
  setHeaders(headers: readonly string[]): Readonly<Record<'sku' | 'quote' | 'quantity', number>>
  /**
   * `line` is the line of the file, or the number of the item in a JSON array. `values` is a string if the row cannot be
   * read: the reason.
   */
  addRow(line: number, values: readonly unknown[] | string): void
}

/** `problem` continues the name of the file: 'is empty'. */
export type InputError = (problem: string, advice?: Advice) => Failure

export const createInputError =
  (file: string): InputError =>
  (problem, advice) =>
    new Failure('usage', `${file === '-' ? 'standard input' : file} ${problem}; nothing was sent`, {
      field: file,
      ...(advice === undefined ? { fix: () => 'orderctl batch plan --help' } : { advice }),
    })

export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** In characters. Spreadsheets keep no more of a cell. */
export const maxCellLength = 32_767
export const longCell = `a cell with more than ${formatCount(maxCellLength)} characters`

export const createTooManyRows = (createError: InputError): Failure =>
  createError(
    `has too many rows; a batch holds at most ${formatCount(batchLimits.rows)}`,
    'Split it into several batches.',
  )

const advice = "In the spreadsheet, choose 'Save as' and the format 'CSV UTF-8'."

/** Reading so many takes less than two seconds. Allows 100,000 rows of four columns. */
const maxFilled = 400_000

/** Throws if a workbook has too many cells with content. */
export const checkFilled = (count: number, createError: InputError): void => {
  if (count > maxFilled)
    throw createError(`has more than ${formatCount(maxFilled)} cells with content`, advice)
}

const beginsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Whether the input is an archive, as an .xlsx workbook is. */
export const isZip = (bytes: Uint8Array, createError: InputError): boolean => {
  if (beginsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) {
    const problem = 'is an .xls workbook, or a workbook with a password'
    throw createError(problem, 'Save it as .xlsx without a password.')
  }
  return beginsWith(bytes, 0x50, 0x4b, 0x03, 0x04)
}

/** Returns the text without its byte order mark. */
export const decodeInput = (bytes: Uint8Array, createError: InputError) => {
  // Excel writes 'Unicode Text' as UTF-16 with a mark.
  const isUtf16 = beginsWith(bytes, 0xff, 0xfe)
  const hasMark = isUtf16 || beginsWith(bytes, 0xef, 0xbb, 0xbf)
  try {
    const decoder = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true })
    return { text: decoder.decode(bytes), hasMark }
  } catch {
    throw createError(
      isUtf16 ? 'is not valid UTF-16 text' : 'is not UTF-8 text, probably Windows-1252',
      advice,
    )
  }
}
