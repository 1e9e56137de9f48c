// The address of a PostgreSQL database, as psql takes it, without a password.

import { isLoopbackHost } from '../contract/account-id.ts'
import { Failure } from '../errors.ts'

const tlsModes = ['disable', 'require', 'verify-full'] as const
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
const socketExample = 'For a Unix socket, write its folder as the host: %2Frun%2Fpostgresql.'
const passwordFix = [
  'Put the password into ~/.pgpass or PGPASSWORD, or let orderctl ask for it.',
  'An address is stored and printed, so it cannot contain a password.',
].join(' ')

export const isPostgresAddress = (text: string): boolean => /^postgres(?:ql)?:/i.test(text)

/** A password may contain '@' and '/', so all before the last '@' counts. Nothing of it is ever printed. */
const hasPassword = (text: string): boolean => /^\w+:\/\/[^?]*:[^?]*@/.test(text)

export const parseAddress = (text: string, defaults: AddressDefaults): Address => {
  const url = URL.parse(text)
  if (hasPassword(text) || url?.searchParams.has('password')) throw refuse('contains a password', passwordFix)
  if (url === null || !isPostgresAddress(text) || url.hash !== '')
    throw refuse('is not a valid address', example)
  const target: Target = {
    host: parseHost(url.hostname),
    port: Number(url.port || 5432),
    database: decode(url.pathname.slice(1), 'database'),
    user: decode(url.username, 'user') || defaults.user,
  }
  if (target.database === '') throw refuse('has no database', `Add the database name. ${example}`)
  if (target.user === '') throw refuse('has no user', `Add the user name. ${example}`)
  const options = parseOptions(url.searchParams)
  const isLocal = target.host.startsWith('/') || isLoopback(target.host)
  return {
    ...target,
    tls: {
      mode: options.sslmode ?? (isLocal ? 'disable' : 'verify-full'),
      rootCertificate: options.sslrootcert ?? (defaults.rootCertificate || undefined),
    },
    text: formatAddress(target, options),
  }
}

const encodeHost = (host: string): string => (host.includes(':') ? `[${host}]` : encodeURIComponent(host))

const refuse = (what: string, advice: string): Failure =>
  new Failure('usage', `the PostgreSQL address ${what}`, { advice })

const decode = (text: string, part: string): string => {
  let decoded: string | undefined
  try {
    decoded = decodeURIComponent(text)
  } catch {
    // A '%' without two hexadecimal digits.
  }
  if (decoded === undefined || /\p{Cc}/u.test(decoded))
    throw refuse(`has an invalid ${part}`, 'Write special characters as % and two hexadecimal digits.')
  return decoded
}

const parseHost = (text: string): string => {
  const host = decode(text, 'host').replace(/^\[(.*)\]$/, '$1')
  if (host === '') throw refuse('has no host', `${example} ${socketExample}`)
  if (host.startsWith('/')) return host
  if (/[\s/\\@,]/.test(host)) throw refuse('has an invalid host', `Use one host. ${socketExample}`)
  return host.toLowerCase()
}

const parseOptions = (query: URLSearchParams) => {
  const names = [...query.keys()]
  const unknown = names.find((name) => !['sslmode', 'sslrootcert'].includes(name))
  if (unknown !== undefined)
    throw refuse('has an unknown parameter', 'Allowed parameters: sslmode, sslrootcert')
  if (names.length > new Set(names).size) throw refuse('has a parameter twice', 'Remove one of them.')
  const text = query.get('sslmode')
  const sslmode = tlsModes.find((each) => each === text)
  if (text !== null && sslmode === undefined)
    throw refuse('has an invalid sslmode', `Allowed values: ${tlsModes.join(', ')}`)
  return { sslmode, sslrootcert: query.get('sslrootcert') || undefined }
}

const formatAddress = (
  { host, port, database, user }: Target,
  options: Readonly<Record<string, string | undefined>>,
): string => {
  const query = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => `${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`)
    .join('&')
  const shownPort = port === 5432 ? '' : `:${port}`
  const location = `${encodeURIComponent(user)}@${encodeHost(host)}${shownPort}/${encodeURIComponent(database)}`
  return `postgres://${location}${query && `?${query}`}`
}

/** The user does not matter, nor how the loopback host is spelled. */
export const isSameDatabase = (one: Address, other: Address): boolean =>
  (one.host === other.host || (isLoopback(one.host) && isLoopback(other.host))) &&
  one.port === other.port &&
  one.database === other.database

const isLoopback = (host: string): boolean => isLoopbackHost(encodeHost(host))
