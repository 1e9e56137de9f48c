// The Debian packages that have the libraries which the standalone file needs, in the versions that it needs.
import { readFileSync } from 'node:fs'
import { listNeededLibraries, listNeeds, readElf } from '../executable/elf.ts'

/** Parts of glibc. */
const glibc = /^(libc|libm|libdl|libpthread|librt|ld-linux(-x86-64|-aarch64)?)\.so\.\d+$/

/** The first version of GCC's C++ library with these symbols. */
const gccVersions: Readonly<Record<string, string>> = { '3.4.21': '5', '3.4.22': '6', '3.4.26': '9' }

const newest = (versions: readonly string[], prefix: string): string => {
  const numbers = versions.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length))
  const collator = new Intl.Collator('en', { numeric: true })
  return numbers.sort(collator.compare).at(-1) ?? '0'
}

const nameCppLibrary = (versions: readonly string[]): string => {
  const symbols = newest(versions, 'GLIBCXX_')
  if (gccVersions[symbols] === undefined) throw new Error(`no package known for GLIBCXX_${symbols}`)
  return `libstdc++6 (>= ${gccVersions[symbols]})`
}

/** The field Depends. Throws if the file needs a library that is not known here. */
export const listDependencies = (executable: string): string[] => {
  const elf = readElf(readFileSync(executable))
  if (elf === undefined) throw new Error(`${executable} is no executable for Linux`)
  const versions = new Map(listNeeds(elf).map((need) => [need.library, need.versions]))
  const names = listNeededLibraries(elf).map((library) => {
    const needed = versions.get(library) ?? []
    if (glibc.test(library)) return `libc6 (>= ${newest([...versions.values()].flat(), 'GLIBC_')})`
    if (library === 'libstdc++.so.6') return nameCppLibrary(needed)
    if (library === 'libgcc_s.so.1') return 'libgcc-s1 | libgcc1'
    if (library === 'libatomic.so.1') return 'libatomic1'
    throw new Error(`no package known for ${library}`)
  })
  return [...new Set(names)].sort()
}
