// Random UUIDs. Node loads OpenSSL for its own, and create then takes 6 ms more.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { builtin } from './builtin.ts'

/** From the kernel. Undefined if the system has no such device, as Windows. */
const readRandomBytes = (count: number): Buffer | undefined => {
  let device: number | undefined
  try {
    device = openSync('/dev/urandom', 'r')
    const bytes = Buffer.alloc(count)
    // In a container, it may be an ordinary file.
    const isRandom = fstatSync(device).isCharacterDevice() && readSync(device, bytes) === count
    return isRandom ? bytes : undefined
  } catch {
    return undefined
  } finally {
    if (device !== undefined) closeSync(device)
  }
}

/** A UUID of version 4 (RFC 9562). */
export const createRandomId = (): string => {
  const bytes = readRandomBytes(16)
  if (bytes === undefined) return builtin.crypto().randomUUID()
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x40
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
