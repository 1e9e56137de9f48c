// Reads a file that is shipped with orderctl: from the package, or from within the standalone executable.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createBrokenFailure } from './broken-installation.ts'
import { builtin } from './builtin.ts'

/** The path is relative to the package's folder, the parent of both src/ and dist/. */
export const readPackageFile = (file: string): string => {
  const sea = builtin.sea()
  return sea?.isSea() ? sea.getAsset(file, 'utf8') : readOwnFile(new URL(`../${file}`, import.meta.url))
}

const readOwnFile = (place: URL): string => {
  try {
    return readFileSync(place, 'utf8')
  } catch (error) {
    throw createBrokenFailure(error as Error, [])
  }
}

/** The folder of the package. Undefined in the standalone executable. */
export const findPackageFolder = (): string | undefined =>
  builtin.sea()?.isSea() ? undefined : fileURLToPath(new URL('..', import.meta.url))
