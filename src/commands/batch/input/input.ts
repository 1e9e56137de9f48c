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

/** Returns the text as UTF-8 without its byte order mark. Excel writes 'Unicode Text' as UTF-16. */
export const decodeInput = (
  bytes: Uint8Array,
  createError: InputError,
): { readonly bytes: Uint8Array; readonly hasMark: boolean } => {
  if (bytes.length > maxInputBytes)
    throw createError(`is larger than ${maxInputBytes / 1024 / 1024} MB`, 'Split it into several batches.')
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04))
    throw createError('is a workbook or an archive, not text', fix)
  const encoding = findUtf16(bytes)
  if (encoding !== undefined) {
    const hasMark = startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)
    try {
      return { bytes: Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes)), hasMark }
    } catch {
      throw createError('is not valid UTF-16 text', fix)
    }
  }
  if (!isUtf8(bytes)) throw createError('is not UTF-8 text, probably Windows-1252', fix)
  const hasMark = startsWith(bytes, 0xef, 0xbb, 0xbf)
  return { bytes: hasMark ? bytes.subarray(3) : bytes, hasMark }
}

/** By the byte order mark, or because ASCII in UTF-16 has a zero byte in each character. */
const findUtf16 = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (startsWith(bytes, 0xff, 0xfe) || bytes[1] === 0) return 'utf-16le'
  return startsWith(bytes, 0xfe, 0xff) || bytes[0] === 0 ? 'utf-16be' : undefined
}
