// Finds the password for an address where psql looks for it: PGPASSWORD, then the password file, by the rules of libpq.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'

export type PasswordSources = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string | undefined
  /** The value of process.platform. */
  readonly platform: string
  readonly warn: (text: string) => void
}

export const lookUpPassword = (address: Address, sources: PasswordSources): string | undefined =>
  sources.environment.PGPASSWORD || readPasswordFile(address, sources)

const locatePasswordFile = ({ environment, home, platform }: PasswordSources): string | undefined => {
  const { PGPASSFILE, APPDATA } = environment
  if (PGPASSFILE) return PGPASSFILE
  if (platform === 'win32') return APPDATA && path.join(APPDATA, 'postgresql', 'pgpass.conf')
  return home && path.join(home, '.pgpass')
}

export const describePasswordFile = (sources: PasswordSources): string => {
  const isUsual = !sources.environment.PGPASSFILE && sources.platform !== 'win32'
  return (isUsual ? '' : locatePasswordFile(sources)) || '~/.pgpass'
}

const readPasswordFile = (address: Address, sources: PasswordSources): string | undefined => {
  const file = locatePasswordFile(sources)
  if (!file) return undefined
  const ignore = (reason: string): void =>
    sources.warn(`orderctl ignores the password file ${file}, because ${reason}`)
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    // Windows has no modes. There, the folder protects the file.
    const isExposed = sources.platform !== 'win32' && (stats.mode & 0o077) !== 0
    // Reading a pipe would wait until a different process writes to it.
    if (!stats.isFile()) ignore('it is not a file')
    else if (isExposed) ignore('other users can read it. It needs the mode 0600')
    else return findPassword(readFileSync(file, 'utf8'), address)
  } catch (error) {
    sources.warn(`orderctl cannot read the password file ${file}: ${getErrorReason(error)}`)
  }
  return undefined
}

export const findPassword = (text: string, address: Address): string | undefined => {
  const expected = [listHosts(address), [String(address.port)], [address.database], [address.user]]
  const lines = text.split(/\r?\n/).filter((line) => !line.startsWith('#'))
  return lines
    .map(parseLine)
    .filter((fields) => expected.every((names, index) => ['*', ...names].includes(fields[index] ?? '')))
    .find((fields) => fields[4])?.[4]
}

/** Splits at colons. A backslash before a colon or a backslash is removed. */
const parseLine = (line: string): string[] => {
  const fields = ['']
  for (const [text] of line.matchAll(/\\[:\\]|:|[^:\\]+|\\/g)) {
    if (text === ':') fields.push('')
    else fields.push(`${fields.pop()}${text.replace(/^\\(?=.)/, '')}`)
  }
  return fields
}

/** libpq looks for `localhost` if the connection uses its default Unix socket. We do so for each socket. */
const listHosts = ({ host }: Address): string[] => (host.startsWith('/') ? [host, 'localhost'] : [host])

/** The line that `findPassword` finds, with a word in place of the password. */
export const writePasswordLine = (address: Address): string => {
  const fields = [listHosts(address).at(-1), address.port, address.database, address.user]
  return [...fields.map((field) => String(field).replace(/[:\\]/g, '\\$&')), 'PASSWORD'].join(':')
}
