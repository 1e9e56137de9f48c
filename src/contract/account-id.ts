// Identifies an account by the address of its service, and by a name if one address serves several accounts.
import { isLoopbackHost } from './base-url.ts'

export type AccountId = {
  /** Host, port and base path, normalized and in lower case; `sandbox:` for the embedded service. */
  readonly address: string
  /** Set by the user if the address serves several accounts. In lower case. */
  readonly name?: string
}

export const sandboxAddress = 'sandbox:'

/** Expects a base URL that `parseBaseUrl` accepts, or `sandbox:`. */
export const getAccountId = (baseUrl: string, name?: string): AccountId => ({
  address: baseUrl === sandboxAddress ? sandboxAddress : normalizeAddress(new URL(baseUrl)),
  ...(name === undefined ? {} : { name: name.toLowerCase() }),
})

/** One text, for a table of several accounts. */
export const formatAccountId = ({ address, name }: AccountId): string =>
  name === undefined ? address : `${address}#${name}`

/** Two ids with and without a name may be the same account, so they count as the same. */
export const isSameAccount = (one: AccountId, other: AccountId): boolean =>
  one.address === other.address &&
  (one.name === undefined || other.name === undefined || one.name === other.name)

// Ignores the scheme, both default ports and letter case, because taking two accounts for one is safe and the reverse is not.
const normalizeAddress = ({ hostname, port, pathname }: URL): string => {
  const shownPort = port === '' || port === '80' || port === '443' ? '' : `:${port}`
  return `${normalizeHost(hostname)}${shownPort}${normalizePath(pathname)}`.toLowerCase()
}

const unspecifiedHosts = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])

const normalizeHost = (hostname: string): string => {
  const host = hostname.replace(/\.+$/, '')
  if (isLoopbackHost(host) || unspecifiedHosts.has(host)) return 'localhost'
  // An IPv4 address written as IPv6: [::ffff:a01:203] is 10.1.2.3.
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? []
  if (high === undefined || low === undefined) return host
  const parts = [high, low].map((part) => Number.parseInt(part, 16))
  return parts.flatMap((part) => [part >> 8, part & 0xff]).join('.')
}

// The URL parser leaves these in a path as they are written: as themselves, or percent-encoded.
const plainInPath = /[\w.~!$&'()*+,;=:@|[\]^-]/

const normalizePath = (pathname: string): string =>
  pathname
    .replace(/%[\da-f]{2}/gi, (encoded) => {
      const character = decodeURIComponent(/%[0-7]/.test(encoded) ? encoded : '%2F')
      return plainInPath.test(character) ? character : encoded
    })
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
