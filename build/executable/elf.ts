// Reads the parts of a Linux executable that its loader uses: segments, the dynamic table, needed libraries.

type Segment = {
  readonly header: number
  readonly type: number
  readonly flags: number
  readonly offset: number
  readonly address: number
  readonly fileSize: number
}

export type Need = { readonly at: number; readonly library: string; readonly versions: readonly string[] }

export type Elf = {
  readonly bytes: Buffer
  /** 62 is x86-64, and 183 is arm64. */
  readonly machine: number
  readonly segments: readonly Segment[]
  readonly dynamic: readonly { readonly at: number; readonly tag: number; readonly value: number }[]
}

export const dynamicTags = {
  needed: 1,
  procedureRelocationsSize: 2,
  strings: 5,
  symbols: 6,
  procedureRelocations: 23,
  versionsOfSymbols: 0x6ffffff0,
  neededVersions: 0x6ffffffe,
  neededVersionsCount: 0x6fffffff,
} as const

const numberAt = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at))

/** Undefined if the file is no 64-bit little-endian ELF file. */
export const readElf = (bytes: Buffer): Elf | undefined => {
  if (bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return undefined
  const segments = Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const header = numberAt(bytes, 32) + index * bytes.readUInt16LE(54)
    return {
      header,
      type: bytes.readUInt32LE(header),
      flags: bytes.readUInt32LE(header + 4),
      offset: numberAt(bytes, header + 8),
      address: numberAt(bytes, header + 16),
      fileSize: numberAt(bytes, header + 32),
    }
  })
  const table = segments.find(({ type }) => type === 2)
  const entries = Array.from({ length: (table?.fileSize ?? 0) / 16 }, (_, index) => {
    const at = (table?.offset ?? 0) + index * 16
    return { at, tag: numberAt(bytes, at), value: numberAt(bytes, at + 8) }
  })
  const end = entries.findIndex(({ tag }) => tag === 0)
  return { bytes, machine: bytes.readUInt16LE(18), segments, dynamic: entries.slice(0, end) }
}

export const readEntry = ({ dynamic }: Elf, tag: number): number => {
  const entry = dynamic.find((each) => each.tag === tag)
  if (entry === undefined) throw new Error(`the executable has no dynamic entry ${tag}`)
  return entry.value
}

/** Where in the file the byte is that the loader puts at this address. */
export const offsetOf = ({ segments }: Elf, address: number): number => {
  const segment = segments.find(
    (each) => each.type === 1 && address >= each.address && address < each.address + each.fileSize,
  )
  if (segment === undefined) throw new Error(`the executable has nothing at address ${address}`)
  return address - segment.address + segment.offset
}

export const readString = (elf: Elf, index: number): string => {
  const start = offsetOf(elf, readEntry(elf, dynamicTags.strings)) + index
  return elf.bytes.toString('latin1', start, elf.bytes.indexOf(0, start))
}

export const listNeededLibraries = (elf: Elf): string[] =>
  elf.dynamic.filter(({ tag }) => tag === dynamicTags.needed).map(({ value }) => readString(elf, value))

/** The versions of symbols that the executable needs from each library, for example `GLIBC_2.28`. */
export const listNeeds = (elf: Elf): Need[] => {
  const { bytes } = elf
  let at = offsetOf(elf, readEntry(elf, dynamicTags.neededVersions))
  return Array.from({ length: readEntry(elf, dynamicTags.neededVersionsCount) }, () => {
    let version = at + bytes.readUInt32LE(at + 8)
    const versions = Array.from({ length: bytes.readUInt16LE(at + 2) }, () => {
      const name = readString(elf, bytes.readUInt32LE(version + 8))
      version += bytes.readUInt32LE(version + 12)
      return name
    })
    const need = { at, library: readString(elf, bytes.readUInt32LE(at + 4)), versions }
    at += bytes.readUInt32LE(at + 12)
    return need
  })
}
