// The address of a PostgreSQL database: its parts, its one spelling, and whether two are the same database.
import { isLoopbackHost } from '../contract/base-url.ts'

export const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
export type TlsMode = (typeof tlsModes)[number]

export type Address = {
  /** A name, an IP address without brackets, or the absolute path of the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly tls: {
    readonly mode: TlsMode
    /** A PEM file. `system` means the certificates that Node trusts. */
    readonly rootCertificate?: string
  }
  /** The address in one spelling. It has no secret, and parses to the same address. */
  readonly text: string
}

type Parts = {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly mode: TlsMode | undefined
  readonly rootCertificate: string | undefined
  readonly defaultCertificate: string | undefined
}

export const createAddress = (parts: Parts): Address => {
  const { host, port, database, user, mode, rootCertificate } = parts
  const usedCertificate = rootCertificate || parts.defaultCertificate
  const isSocket = host.startsWith('/')
  const options = [
    ...(isSocket ? [`host=${encodeOption(host)}`] : []),
    ...(mode === undefined ? [] : [`sslmode=${mode}`]),
    ...(rootCertificate ? [`sslrootcert=${encodeOption(rootCertificate)}`] : []),
  ].join('&')
  const shownHost = isSocket ? '' : host.includes(':') ? `[${host}]` : encodeURIComponent(host)
  const shownPort = port === 5432 ? '' : `:${port}`
  const names = { user: encodeURIComponent(user), database: encodeURIComponent(database) }
  return {
    ...{ host, port, database, user },
    tls: {
      mode: mode ?? (isLocal(host) ? 'disable' : 'verify-full'),
      ...(usedCertificate ? { rootCertificate: usedCertificate } : {}),
    },
    text: `postgres://${names.user}@${shownHost}${shownPort}/${names.database}${options && `?${options}`}`,
  }
}

const encodeOption = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '/')

const isLocal = (host: string): boolean => host.startsWith('/') || isLoopback(host)

const isLoopback = (host: string): boolean => isLoopbackHost(host.includes(':') ? normalizeIpv6(host) : host)

const normalizeIpv6 = (host: string): string => URL.parse(`http://[${host}]`)?.hostname ?? host

/** The same text for all addresses of one database: the user does not matter, nor how the loopback host is spelled. */
export const nameDatabase = ({ host, port, database }: Address): string =>
  `${normalizeHost(host)}:${port}/${database}`

export const isSameDatabase = (one: Address, other: Address): boolean =>
  nameDatabase(one) === nameDatabase(other)

const normalizeHost = (host: string): string =>
  isLoopback(host) ? 'localhost' : host.includes(':') ? normalizeIpv6(host) : host.replace(/\.$/, '')
