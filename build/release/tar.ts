// Writes a tar archive that depends only on the names and contents of its files.
import { constants, gzipSync } from 'node:zlib'

export type TarEntry = { readonly name: string; readonly content: Buffer; readonly isExecutable: boolean }

const blockSize = 512

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

/** The header of a file in the ustar format (POSIX.1-1988). */
const createHeader = ({ name, content, isExecutable }: TarEntry, date: number): Buffer => {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar archive`)
  const header = Buffer.alloc(blockSize)
  header.write(name, 0)
  header.write(octal(isExecutable ? 0o755 : 0o644, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(content.length, 12), 124)
  header.write(octal(date, 12), 136)
  // The checksum counts its own field as spaces.
  header.write(`${' '.repeat(8)}0`, 148)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)} `, 148)
  return header
}

export const createTar = (entries: readonly TarEntry[], date: number): Buffer => {
  const sorted = [...entries].sort((one, other) => (one.name < other.name ? -1 : 1))
  const blocks = sorted.flatMap((entry) => [
    createHeader(entry, date),
    entry.content,
    Buffer.alloc(-entry.content.length & (blockSize - 1)),
  ])
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}

/** The header contains no file name, time or operating system. */
export const gzip = (content: Buffer, level = constants.Z_BEST_COMPRESSION): Buffer => {
  const compressed = gzipSync(content, { level })
  compressed[9] = 255
  return compressed
}
