// What the formats of the input share: where rows go, the errors of the input as a whole, and its encoding.

import { isUtf8 } from 'node:buffer'
import { Failure, type Fix } from '../../../errors.ts'
import { batchLimits } from '../../../operations/batch/plan/rows.ts'

export type RowSink = {
  setHeaders(headers: readonly string[]): void
  /** `line` is the line of the file, or the number of the item in a JSON array. */
  addRow(line: number, values: readonly unknown[]): void
  /** Reports a row that cannot be read at all. */
  refuseRow(line: number, problem: string): void
}

/** `problem` continues the name of the file: 'is empty'. */
export type InputError = (problem: string, fix?: Fix) => Failure

export const createInputError =
  (file: string): InputError =>
  (problem, fix = 'orderctl batch plan --help') =>
    new Failure('usage', `${file === '-' ? 'standard input' : file} ${problem}; nothing was sent`, {
      field: file,
      fix,
    })

export const formatCount = (count: number): string => count.toLocaleString('en-US')

export const createTooManyRows = (count: number, createError: InputError): Failure =>
  createError(
    `has ${formatCount(count)} rows; a batch holds at most ${formatCount(batchLimits.rows)}`,
    'Split it into several batches.',
  )

/** A row of 600 bytes, 100,000 times. */
export const maxInputBytes = 64 * 1024 * 1024

const fix = "In the spreadsheet, choose 'Save as' and the format 'CSV UTF-8'."

const startsWith = (bytes: Uint8Array, ...start: number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte)

/** Returns UTF-8 without a byte order mark. */
export const checkEncoding = (bytes: Uint8Array, createError: InputError): Uint8Array => {
  if (bytes.length > maxInputBytes)
    throw createError(`is larger than ${maxInputBytes / 1024 / 1024} MB`, 'Split it into several batches.')
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04))
    throw createError('is a workbook or an archive, not text', fix)
  const hasMark = startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)
  // ASCII in UTF-16 has a zero byte in each character.
  if (hasMark || bytes.subarray(0, 2).includes(0)) throw createError('is UTF-16 text, not UTF-8', fix)
  if (!isUtf8(bytes)) throw createError('is not UTF-8 text, probably Windows-1252', fix)
  return startsWith(bytes, 0xef, 0xbb, 0xbf) ? bytes.subarray(3) : bytes
}
