// Removes libatomic from the libraries that Node 26 for Linux x64 needs: minimal systems do not have it.
// Node imports one function from it, which V8 calls with 8 bytes. This adds that function to the executable.
import { dynamicTags, type Elf, listNeeds, offsetOf, readElf, readEntry, readString } from './elf.ts'

const library = 'libatomic.so.1'
const importedName = '__atomic_compare_exchange'

/** bool __atomic_compare_exchange(size: rdi, object: rsi, expected: rdx, desired: rcx), which is atomic for 8 bytes. */
const machineCode = Buffer.from(
  [
    '4883ff08', // cmp rdi, 8
    '7515', // jne to ud2
    '488b02', // mov rax, [rdx]
    '488b09', // mov rcx, [rcx]
    'f0480fb10e', // lock cmpxchg [rsi], rcx
    '488902', // mov [rdx], rax: unchanged if they were equal
    '0f94c0', // sete al
    '0fb6c0', // movzx eax, al
    'c3', // ret
    '0f0b', // ud2
  ].join(''),
  'hex',
)

type Import = { readonly symbol: number; readonly index: number; readonly slot: number }

/** The only symbol whose version is of the library, or undefined. */
const findImport = (elf: Elf, versionIndex: number): Import | undefined => {
  const { bytes } = elf
  const start = offsetOf(elf, readEntry(elf, dynamicTags.procedureRelocations))
  const symbols = offsetOf(elf, readEntry(elf, dynamicTags.symbols))
  const versions = offsetOf(elf, readEntry(elf, dynamicTags.versionsOfSymbols))
  const found: Import[] = []
  for (let at = start; at < start + readEntry(elf, dynamicTags.procedureRelocationsSize); at += 24) {
    const index = bytes.readUInt32LE(at + 12)
    if (bytes.readUInt16LE(versions + index * 2) === versionIndex)
      found.push({ index, symbol: symbols + index * 24, slot: Number(bytes.readBigUInt64LE(at)) })
  }
  // The table of versions ends where the table of needed versions begins.
  const count = (offsetOf(elf, readEntry(elf, dynamicTags.neededVersions)) - versions) >> 1
  const uses = Array.from({ length: count }, (_, index) => bytes.readUInt16LE(versions + index * 2))
  const isOnlyUse = uses.filter((each) => each === versionIndex).length === 1
  const [first] = found
  const isKnown = first && readString(elf, bytes.readUInt32LE(first.symbol)) === importedName
  return isKnown && isOnlyUse && found.length === 1 ? first : undefined
}

/** Whether every call of the function passes 8 as its size: `mov edi, 8` shortly before `call`. */
const passesEightBytes = (code: Buffer, address: number, slot: number): boolean => {
  let stub = code.indexOf('ff25', 0, 'hex')
  while (stub !== -1 && address + stub + 6 + code.readInt32LE(stub + 2) !== slot)
    stub = code.indexOf('ff25', stub + 1, 'hex')
  if (stub === -1) return false
  let calls = 0
  for (let at = code.indexOf(0xe8); at !== -1 && at + 5 <= code.length; at = code.indexOf(0xe8, at + 1)) {
    if (at + 5 + code.readInt32LE(at + 1) !== stub) continue
    if (code.subarray(Math.max(0, at - 48), at).indexOf('bf08000000', 0, 'hex') === -1) return false
    calls += 1
  }
  return calls > 0
}

/** Returns whether the executable no longer needs the library. Changes the bytes only if they are as expected. */
export const removeAtomicLibrary = (bytes: Buffer): boolean => {
  const elf = readElf(bytes)
  if (elf === undefined) return false
  const need = listNeeds(elf)[0]
  const entry = elf.dynamic.find(
    ({ tag, value }) => tag === dynamicTags.needed && readString(elf, value) === library,
  )
  if (entry === undefined) return true
  const code = elf.segments.find(({ type, flags }) => type === 1 && (flags & 1) === 1)
  if (elf.machine !== 62 || code === undefined || need?.library !== library || need.versions.length !== 1)
    return false
  const versionIndex = bytes.readUInt16LE(need.at + bytes.readUInt32LE(need.at + 8) + 6)
  const imported = findImport(elf, versionIndex)
  const segmentBytes = bytes.subarray(code.offset, code.offset + code.fileSize)
  // The rest of the page of the last instruction is mapped and unused.
  const end = (code.offset + code.fileSize + 15) & ~15
  const padding = bytes.subarray(end, (end + 4095) & ~4095)
  const isRoom = padding.length >= machineCode.length && padding.every((each) => each === 0)
  if (!imported || !isRoom || !passesEightBytes(segmentBytes, code.address, imported.slot)) return false
  machineCode.copy(bytes, end)
  const size = BigInt(end - code.offset + machineCode.length)
  bytes.writeBigUInt64LE(size, code.header + 32)
  bytes.writeBigUInt64LE(size, code.header + 40)
  defineSymbol(elf, imported, end - code.offset + code.address)
  removeNeed(elf, need.at, entry.at)
  return true
}

/** Hidden symbols are not looked up in other libraries. */
const defineSymbol = (elf: Elf, { symbol, index }: Import, address: number): void => {
  const { bytes } = elf
  bytes.writeUInt8(2, symbol + 5)
  // Any section: only zero means undefined.
  bytes.writeUInt16LE(1, symbol + 6)
  bytes.writeBigUInt64LE(BigInt(address), symbol + 8)
  bytes.writeUInt16LE(1, offsetOf(elf, readEntry(elf, dynamicTags.versionsOfSymbols)) + index * 2)
}

const removeNeed = (elf: Elf, need: number, entry: number): void => {
  const { bytes, dynamic } = elf
  const last = (dynamic.at(-1)?.at ?? entry) + 16
  bytes.copyWithin(entry, entry + 16, last)
  bytes.fill(0, last - 16, last)
  const moved = readElf(bytes)
  for (const { at, tag, value } of moved?.dynamic ?? []) {
    if (tag === dynamicTags.neededVersionsCount) bytes.writeBigUInt64LE(BigInt(value - 1), at + 8)
    if (tag === dynamicTags.neededVersions)
      bytes.writeBigUInt64LE(BigInt(value + bytes.readUInt32LE(need + 12)), at + 8)
  }
}
