// Recognises input that is not UTF-8 text, and says how to convert it.
import { isUtf8 } from 'node:buffer'
import type { InputError } from './input-error.ts'

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
