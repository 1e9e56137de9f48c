// Decides which hosts a webhook may reach: this machine, and the hosts of --webhook-allow (order-service.md 6).
import { isIPv6 } from 'node:net'
import { isLoopbackHost } from '../../contract/account-id.ts'

export type Target =
  /** `isLoopbackOnly`: a name such as x.localhost may lead to a different machine, so the connection is checked. */
  { readonly url: URL; readonly isLoopbackOnly: boolean } | { readonly refused: string }

/** The URL parser has already normalised case, Unicode, and octal, hexadecimal and short IPv4 forms. */
const readHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Normalises a host for `findTarget`. Undefined if the text has a port, path or wildcard. */
export const parseHost = (text: string): string | undefined => {
  if (/[\s/\\?#@*]/.test(text)) return undefined
  const bracketed = isIPv6(text) ? `[${text}]` : text
  if (bracketed.includes(':') && !/^\[[^\]]*\]$/.test(bracketed)) return undefined
  const url = URL.parse(`http://${bracketed}`)
  return url === null ? undefined : readHost(url) || undefined
}

export const findTarget = (address: string, allowed: ReadonlySet<string>): Target => {
  const url = URL.parse(address)
  if (url === null) return { refused: 'not a valid URL' }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { refused: `scheme not allowed: ${url.protocol.slice(0, -1)}` }
  if (url.username !== '' || url.password !== '') return { refused: 'credentials in the URL not allowed' }
  // A name in TLS has no trailing dot (RFC 6066).
  url.hostname = url.hostname.replace(/\.$/, '')
  const host = readHost(url)
  if (allowed.has(host)) return { url, isLoopbackOnly: false }
  return isLoopbackHost(url.hostname)
    ? { url, isLoopbackOnly: true }
    : { refused: `host not allowed: ${host} (allow it with --webhook-allow ${host})` }
}
