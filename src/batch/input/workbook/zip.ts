// Lists the parts of a zip archive with fflate, and unpacks each within its declared size.

import { crc32, inflateRawSync } from 'node:zlib'
import { type UnzipFileInfo, unzipSync } from 'fflate/browser'

/** Some spreadsheets take names with one key for one part. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()

/** fflate says neither where a part is nor its checksum. */
export const openZip = (bytes: Uint8Array, refuse: (where: string) => never) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = new Map<string, { readonly size: number; readonly unpack: () => string }>()
  const end = data.lastIndexOf('PK\u0005\u0006', -22, 'latin1')
  let entry = data.subarray(data.readUInt32LE(end + 16))
  const filter = ({ name, size: packedSize, originalSize: size, compression }: UnzipFileInfo): boolean => {
    const nameEnd = 46 + entry.readUInt16LE(28)
    const file = data.subarray(entry.readUInt32LE(42))
    const start = 30 + file.readUInt16LE(26)
    if (parts.has(keyOf(name)) || !file.subarray(30, start).equals(entry.subarray(46, nameEnd)))
      refuse(`two names: ${name}`)
    const packed = file.subarray(start + file.readUInt16LE(28)).subarray(0, packedSize)
    const crc = entry.readUInt32LE(16)
    const unpack = (): string => {
      const content = compression === 0 ? packed : inflateRawSync(packed, { maxOutputLength: size || 1 })
      if (content.length !== size || crc32(content) !== crc) refuse(name)
      return new TextDecoder('utf-8', { fatal: true }).decode(content)
    }
    parts.set(keyOf(name), { size, unpack })
    entry = entry.subarray(nameEnd + entry.readUInt16LE(30) + entry.readUInt16LE(32))
    return false
  }
  unzipSync(data, { filter })
  // Otherwise other programs may find a different directory.
  const isComplete = entry.length === data.length - end && entry.length === 22 + entry.readUInt16LE(20)
  return isComplete ? (name: string) => parts.get(keyOf(name)) : refuse('its directory')
}
