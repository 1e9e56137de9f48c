// Finds the password for an address where psql looks for it: PGPASSWORD, then the password file.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'
import { findPassword } from './pgpass.ts'

export type PasswordSources = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string | undefined
  /** The value of process.platform. */
  readonly platform: string
  /** Prints a warning. */
  readonly warn: (text: string) => void
}

export const lookUpPassword = (address: Address, sources: PasswordSources): string | undefined =>
  sources.environment.PGPASSWORD || readPasswordFile(address, sources)

const locatePasswordFile = ({ environment, home, platform }: PasswordSources): string | undefined => {
  if (environment.PGPASSFILE) return environment.PGPASSFILE
  if (platform !== 'win32') return home === undefined ? undefined : path.join(home, '.pgpass')
  const { APPDATA } = environment
  return APPDATA ? path.join(APPDATA, 'postgresql', 'pgpass.conf') : undefined
}

/** For messages. */
export const describePasswordFile = (sources: PasswordSources): string => {
  const { environment, platform } = sources
  const isUsual = !environment.PGPASSFILE && platform !== 'win32'
  return (isUsual ? undefined : locatePasswordFile(sources)) ?? '~/.pgpass'
}

const readPasswordFile = (address: Address, sources: PasswordSources): string | undefined => {
  const file = locatePasswordFile(sources)
  if (file === undefined) return undefined
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    const problem = findProblem(stats, sources.platform)
    if (problem === undefined) return findPassword(readFileSync(file, 'utf8'), address)
    sources.warn(`orderctl ignores the password file ${file}, because ${problem}`)
  } catch (error) {
    sources.warn(`orderctl cannot read the password file ${file}: ${getErrorReason(error)}`)
  }
  return undefined
}

const findProblem = (
  stats: { readonly mode: number; readonly isFile: () => boolean },
  platform: string,
): string | undefined => {
  // Reading a pipe would wait until another process writes to it.
  if (!stats.isFile()) return 'it is not a file'
  // Windows has no modes. There, the folder protects the file.
  if (platform !== 'win32' && (stats.mode & 0o077) !== 0)
    return 'other users can read it. Run chmod 600 on it'
  return undefined
}
