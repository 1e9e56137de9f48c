// Lists the parts of a zip archive with fflate, and unpacks each within its declared size.

import { crc32, inflateRawSync } from 'node:zlib'
import { type UnzipFileInfo, unzipSync } from 'fflate/browser'

type Part = { packed: Buffer; isStored: boolean; size: number; crc: number }

/** Some spreadsheets take names with one key for one part. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()

/** `refuse` throws. */
export const openZip = (bytes: Uint8Array, refuse: (where: string) => never) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const orRefuse = <Result>(read: () => Result, where: string): Result => {
    try {
      return read()
    } catch (error) {
      // The errors of Buffer, TextDecoder, fflate and zlib have codes.
      if (error instanceof Error && 'code' in error) refuse(where)
      throw error
    }
  }
  const parts = orRefuse(() => listParts(data, refuse), 'its directory')
  const unpack = (name: string): string => {
    const { packed, isStored, size, crc } = parts.get(keyOf(name)) ?? refuse(`${name} is missing`)
    return orRefuse(() => {
      const content = isStored ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, size) })
      if (content.length !== size || crc32(content) !== crc) refuse(name)
      return new TextDecoder('utf-8', { fatal: true }).decode(content)
    }, name)
  }
  return { sizeOf: (name: string) => parts.get(keyOf(name))?.size ?? 0, unpack }
}

/** fflate says neither where a part is nor its checksum. */
const listParts = (data: Buffer, refuse: (where: string) => never): ReadonlyMap<string, Part> => {
  const parts = new Map<string, Part>()
  const end = data.lastIndexOf('PK\u0005\u0006', -22, 'latin1')
  let entry = data.subarray(data.readUInt32LE(end + 16))
  const filter = ({ name, size, originalSize, compression }: UnzipFileInfo): boolean => {
    const nameEnd = 46 + entry.readUInt16LE(28)
    const file = data.subarray(entry.readUInt32LE(42))
    const start = 30 + file.readUInt16LE(26)
    if (parts.has(keyOf(name)) || !file.subarray(30, start).equals(entry.subarray(46, nameEnd)))
      refuse(`two names: ${name}`)
    const packed = file.subarray(start + file.readUInt16LE(28)).subarray(0, size)
    const [isStored, crc] = [compression === 0, entry.readUInt32LE(16)]
    parts.set(keyOf(name), { packed, isStored, size: originalSize, crc })
    entry = entry.subarray(nameEnd + entry.readUInt16LE(30) + entry.readUInt16LE(32))
    return false
  }
  unzipSync(data, { filter })
  // Otherwise other programs may find a different directory.
  const isComplete = entry.length === data.length - end && entry.length === 22 + entry.readUInt16LE(20)
  return isComplete ? parts : refuse('its directory')
}
