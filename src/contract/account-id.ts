// Identifies an account by the address of its service, and by a name if one address serves several accounts. Also parses and
// normalizes base URLs.

/** Returns the normalized URL without a trailing slash, or everything that is wrong with the text. */
export const parseBaseUrl = (
  text: string,
  allowHttp: boolean,
): { readonly baseUrl: string } | { readonly problems: readonly string[] } => {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null) return { problems: ['a URL that begins with https:// or http://'] }
  const problems: string[] = []
  // The URL parser would silently drop or change these.
  if (/[\s\\\p{Cc}]/u.test(text)) problems.push('no space, backslash or control character')
  if (url.username !== '' || url.password !== '') problems.push('no user name or password')
  if (/[?#]/.test(text)) problems.push('nothing after ? or #')
  if (url.protocol === 'http:' && !allowHttp && !isLoopbackHost(url.hostname)) {
    problems.push('https (http only to this machine, or with --allow-http)')
  }
  if (problems.length > 0) return { problems }
  // Two spellings of one address would be two accounts.
  if (url.pathname.includes('%')) return { problems: ['a path of plain ASCII characters'] }
  return { baseUrl: url.href.replace(/\/+$/, '') }
}

/** Expects a host as the URL parser normalizes it. Only the address that it resolves to proves that it is local. */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}\.?|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(host)

/** Expects the address of a connected socket. */
export const isLoopbackAddress = (address: string): boolean =>
  /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/.test(address)

/** For errors: removes everything that could be a credential. */
export const maskBaseUrl = (text: string): string =>
  text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@').replace(/[?#].*/s, '?…')

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

const normalizePath = (pathname: string): string => pathname.replace(/\/+/g, '/').replace(/\/$/, '')
