// Reads the files of a zip archive, each within a limit, so that a small archive cannot fill the memory.
import { crc32, inflateRawSync } from 'node:zlib'
import type { InputError } from '../input.ts'

type Entry = {
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  /** Where its local header begins. */
  readonly at: number
}

/** 100,000 rows of ten cells are about 50 MB. */
const maxMegabytes = 256
const maxEntries = 10_000

const [endSignature, entrySignature, fileSignature] = [0x06054b50, 0x02014b50, 0x04034b50]
const [endLength, entryLength, fileLength, maxComment] = [22, 46, 30, 65_535]
const [encrypted, deflated] = [1, 8]

/** Returns a function that reads a file: undefined if there is none. */
export const openZip = (bytes: Uint8Array, createError: InputError) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const createDamaged = () =>
    createError('is a damaged workbook', 'Open it in a spreadsheet, and save it as .xlsx again.')
  let left = maxMegabytes * 1024 * 1024

  const readEntry = (entry: Entry): string => {
    if ((entry.flags & encrypted) !== 0)
      throw createError('is protected with a password', 'Save it without a password.')
    const { at, packedSize, method, size } = entry
    if (data.readUInt32LE(at) !== fileSignature) throw createDamaged()
    const start = at + fileLength + data.readUInt16LE(at + 26) + data.readUInt16LE(at + 28)
    const packed = data.subarray(start, start + packedSize)
    if (size > left) throw createTooLarge(createError)
    // An archive may state a smaller size than it has.
    const content =
      method === deflated ? inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }) : packed
    left -= content.length
    if (content.length !== size || crc32(content) !== entry.crc) throw createDamaged()
    return content.toString('utf8')
  }
  /** Every error of Buffer and zlib means that the archive is damaged. */
  const orDamaged = <Result>(read: () => Result): Result => {
    try {
      return read()
    } catch (error) {
      throw error instanceof RangeError || (error instanceof Error && 'code' in error)
        ? createDamaged()
        : error
    }
  }
  const entries = orDamaged(() => listEntries(data))
  if (entries === undefined) throw createDamaged()
  return (name: string): string | undefined => {
    const entry = entries.get(name.toLowerCase())
    return entry && orDamaged(() => readEntry(entry))
  }
}

const createTooLarge = (createError: InputError) =>
  createError(
    `has more than ${maxMegabytes} MB of contents`,
    'Delete the empty rows and the other sheets, or save it as CSV.',
  )

const listEntries = (data: Buffer): ReadonlyMap<string, Entry> | undefined => {
  const end = data.lastIndexOf('PK\u0005\u0006', data.length - endLength, 'latin1')
  if (end === -1 || end < data.length - endLength - maxComment || data.readUInt32LE(end) !== endSignature)
    return undefined
  const count = data.readUInt16LE(end + 10)
  if (count > maxEntries) return undefined
  const entries = new Map<string, Entry>()
  let at = data.readUInt32LE(end + 16)
  for (let index = 0; index < count; index += 1) {
    if (data.readUInt32LE(at) !== entrySignature) return undefined
    const nameLength = data.readUInt16LE(at + 28)
    const name = data.toString('utf8', at + entryLength, at + entryLength + nameLength)
    entries.set(name.replace(/^\//, '').toLowerCase(), {
      flags: data.readUInt16LE(at + 8),
      method: data.readUInt16LE(at + 10),
      crc: data.readUInt32LE(at + 16),
      packedSize: data.readUInt32LE(at + 20),
      size: data.readUInt32LE(at + 24),
      at: data.readUInt32LE(at + 42),
    })
    at += entryLength + nameLength + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32)
  }
  return entries
}
