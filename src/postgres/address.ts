// The address of a PostgreSQL database, as psql takes it, without a password, which is found where psql looks for it: PGPASSWORD,
// then the password file, by the rules of libpq.

import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isLoopbackHost } from '../contract/account-id.ts'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'

const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof tlsModes)[number]

type Target = {
  /** A name, an IP address without brackets, or the absolute path of the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

export type Address = Target & {
  readonly tls: {
    readonly mode: TlsMode
    /** A PEM file. `system` means the certificates that Node trusts. */
    readonly rootCertificate?: string | undefined
  }
  /** The address in one spelling. It contains no secret and parses to the same address. */
  readonly text: string
}

export type AddressDefaults = {
  /** PGUSER, or the name of the system user. */
  readonly user: string
  /** PGSSLROOTCERT. */
  readonly rootCertificate?: string | undefined
}

const example = 'Write it as postgres://user@host/database.'
const passwordFix = [
  'Put the password into ~/.pgpass or PGPASSWORD, or let orderctl ask for it.',
  'An address is stored and printed, so it cannot contain a password.',
].join(' ')

export const isPostgresAddress = (text: string): boolean => /^postgres(?:ql)?:/i.test(text)

export const parseAddress = (text: string, defaults: AddressDefaults): Address => {
  const parts = /^postgres(?:ql)?:\/\/([^?#]*)(?:\?([^#]*))?$/i.exec(text)
  if (parts === null) throw refuse('is not a valid address', example)
  const [, location = '', query = ''] = parts
  // A password may contain '@' and '/', so the last '@' ends the user. Nothing before it is ever printed.
  const at = location.lastIndexOf('@')
  const user = location.slice(0, Math.max(at, 0))
  if (user.includes(':')) throw refuse('contains a password', passwordFix)
  const after = /^(\[[^\]]*\]|[^:/[\]]*)(?::([^/]*))?(?:\/(.*))?$/s.exec(location.slice(at + 1))
  if (after === null) throw refuse('is not a valid address', example)
  const [, host = '', port, database = ''] = after
  const options = parseOptions(query)
  const target: Target = {
    host: parseHost(decode(host, 'host'), options.get('host')),
    port: parsePort(port),
    database: parseName(database, 'database', `Add the database name. ${example}`),
    user: parseName(user || encodeURIComponent(defaults.user), 'user', `Add the user name. ${example}`),
  }
  const isLocal = target.host.startsWith('/') || isLoopback(target.host)
  const mode = parseMode(options.get('sslmode'))
  const rootCertificate = options.get('sslrootcert') || undefined
  return {
    ...target,
    tls: {
      mode: mode ?? (isLocal ? 'disable' : 'verify-full'),
      rootCertificate: rootCertificate ?? (defaults.rootCertificate || undefined),
    },
    text: formatAddress(target, { sslmode: mode, sslrootcert: rootCertificate }),
  }
}

const refuse = (what: string, advice: string): Failure =>
  new Failure('usage', `the PostgreSQL address ${what}`, { advice })

const decode = (text: string, part: string): string => {
  let decoded: string | undefined
  try {
    decoded = decodeURIComponent(text)
  } catch {
    // A '%' without two hexadecimal digits.
  }
  if (decoded === undefined || /\p{Cc}/u.test(decoded)) {
    throw refuse(`has an invalid ${part}`, 'Write special characters as % and two hexadecimal digits.')
  }
  return decoded
}

const parseName = (text: string, part: string, advice: string): string => {
  const name = decode(text, part)
  if (name === '') throw refuse(`has no ${part}`, advice)
  return name
}

const parseOptions = (query: string): Map<string, string> => {
  const options = new Map<string, string>()
  for (const pair of query.split('&').filter(Boolean)) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    if (name === 'password') throw refuse('contains a password', passwordFix)
    if (!['sslmode', 'sslrootcert', 'host'].includes(name)) {
      const shown = /^\w{1,30}$/.test(name) ? ` '${name}'` : ''
      throw refuse(`has an unknown parameter${shown}`, 'Allowed parameters: sslmode, sslrootcert, host')
    }
    if (options.has(name)) throw refuse(`has the parameter '${name}' twice`, 'Remove one of them.')
    options.set(name, decode(value, name))
  }
  return options
}

const parseHost = (inUrl: string, inQuery: string | undefined): string => {
  if (inUrl !== '' && inQuery !== undefined) throw refuse('has two hosts', 'Remove one of them.')
  const host = (inQuery ?? inUrl).replace(/^\[(.*)\]$/, '$1')
  if (host === '') throw refuse('has no host', `${example} For a Unix socket, add ?host=/folder.`)
  if (host.startsWith('/')) return path.posix.normalize(host).replace(/(?<=.)\/$/, '')
  if (inUrl.startsWith('[') && URL.parse(`http://${inUrl}`) === null)
    throw refuse('has an invalid host', example)
  if (/[\s/\\@,]/.test(host)) throw refuse('has an invalid host', 'Use one host, or the folder of a socket.')
  return host.toLowerCase()
}

const parsePort = (text = ''): number => {
  if (text === '') return 5432
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw refuse('has an invalid port', 'A port is a number from 1 to 65535.')
  return port
}

const parseMode = (text: string | undefined): TlsMode | undefined => {
  const mode = tlsModes.find((each) => each === text)
  if (text === undefined || mode !== undefined) return mode
  throw refuse('has an invalid sslmode', `Allowed values: ${tlsModes.join(', ')}`)
}

const formatAddress = (
  { host, port, database, user }: Target,
  options: Readonly<Record<string, string | undefined>>,
): string => {
  const isSocket = host.startsWith('/')
  const query = Object.entries({ host: isSocket ? host : undefined, ...options })
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => `${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`)
    .join('&')
  const shownHost = isSocket ? '' : host.includes(':') ? `[${host}]` : encodeURIComponent(host)
  const shownPort = port === 5432 ? '' : `:${port}`
  const location = `${encodeURIComponent(user)}@${shownHost}${shownPort}/${encodeURIComponent(database)}`
  return `postgres://${location}${query && `?${query}`}`
}

/** The same text for all addresses of one database: the user does not matter, nor how the loopback host is spelled. */
export const nameDatabase = ({ host, port, database }: Address): string => {
  const name = isLoopback(host) ? 'localhost' : host.includes(':') ? normalizeIpv6(host) : host
  return `${name.replace(/\.$/, '')}:${port}/${database}`
}

export const isSameDatabase = (one: Address, other: Address): boolean =>
  nameDatabase(one) === nameDatabase(other)

const isLoopback = (host: string): boolean => isLoopbackHost(host.includes(':') ? normalizeIpv6(host) : host)

const normalizeIpv6 = (host: string): string => URL.parse(`http://[${host}]`)?.hostname ?? host

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
