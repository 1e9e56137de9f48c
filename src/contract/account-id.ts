// The identity of an account: the address that its requests go to, and a name if one address serves several.
import { isLoopbackHost } from './base-url.ts'

export type AccountId = {
  /** Host, port and base path in one spelling; `sandbox:` for the built-in service. */
  readonly address: string
  /** Declared by the user, if the address serves separate accounts. */
  readonly name?: string
}

export const sandboxAddress = 'sandbox:'

/** Expects a base URL that `parseBaseUrl` accepts, or `sandbox:`. */
export const accountIdOf = (baseUrl: string, name?: string): AccountId => ({
  address: baseUrl === sandboxAddress ? sandboxAddress : addressOf(new URL(baseUrl)),
  ...(name === undefined ? {} : { name }),
})

/** Two ids that differ only in a missing name may be one account, so they count as one. */
export const isSameAccount = (one: AccountId, other: AccountId): boolean =>
  one.address === other.address &&
  (one.name === undefined || other.name === undefined || one.name === other.name)

// The scheme is ignored, and so are both default ports: to take two accounts for one is safe, the reverse is not.
const addressOf = ({ hostname, port, pathname }: URL): string => {
  const shownPort = port === '' || port === '80' || port === '443' ? '' : `:${port}`
  return `${hostOf(hostname)}${shownPort}${pathOf(pathname)}`
}

const unspecified = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])

const hostOf = (hostname: string): string => {
  const host = hostname.toLowerCase().replace(/\.+$/, '')
  if (isLoopbackHost(host) || unspecified.has(host)) return 'localhost'
  return withoutMapping(host)
}

/** An IPv4 address written as IPv6: [::ffff:a01:203] is 10.1.2.3. */
const withoutMapping = (host: string): string => {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? []
  if (high === undefined || low === undefined) return host
  const bytes = [high, low].flatMap((part) => {
    const value = Number.parseInt(part, 16)
    return [value >> 8, value & 0xff]
  })
  return bytes.join('.')
}

const pathOf = (pathname: string): string =>
  pathname
    .replace(/%[\da-f]{2}/gi, (encoded) => {
      const character = decodeURIComponent(/%[0-7]/.test(encoded) ? encoded : '%2F')
      return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
    })
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
