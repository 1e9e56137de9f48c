// Decides which addresses a webhook may reach: loopback, and the hosts of --webhook-allow (order-service.md 6).
import { BlockList, isIP, isIPv6 } from 'node:net'

export type TargetAddress = { readonly address: string; readonly family: number }

/** The type of `dns.promises.lookup`. */
export type Lookup = (host: string, options: { readonly all: true }) => Promise<readonly TargetAddress[]>

export type Target =
  /** Connect only to these addresses, because a second lookup may return others (DNS rebinding). */
  | { readonly url: URL; readonly addresses: readonly TargetAddress[] }
  /** Permanent. */
  | { readonly refused: string }
  /** Temporary: a retry can succeed. */
  | { readonly unresolved: string }

// BlockList applies the IPv4 rules to IPv4-mapped IPv6 addresses.
const createBlockList = (...subnets: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/')
    list.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}

const createRules = () => ({
  loopback: createBlockList('127.0.0.0/8', '::1/128'),
  // Cloud metadata services, which give credentials to every caller: link-local addresses, their IPv6 forms
  // (compatible, translated, NAT64, 6to4), and three others. --webhook-allow does not open them.
  metadata: createBlockList(
    ...['169.254.0.0/16', 'fe80::/10'],
    ...['::a9fe:0/112', '::ffff:0:a9fe:0/112', '64:ff9b::a9fe:0/112', '2002:a9fe::/32'],
    ...['100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::/32'],
  ),
  notUnicast: createBlockList('0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8'),
})

/** `isNamed`: --webhook-allow includes the host. `isLiteral`: the URL contains an address instead of a name. */
const canConnect = (address: string, isNamed: boolean, isLiteral: boolean): boolean => {
  if (isIP(address) === 0) return false
  const { loopback, metadata, notUnicast } = createRules()
  const isIn = (list: BlockList) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return isIn(loopback) || (isNamed && !isIn(metadata) && (isLiteral || !isIn(notUnicast)))
}

/** The URL parser has already normalised case, Unicode, and octal, hexadecimal and short IPv4 forms. */
const readHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Normalises a host for `resolveTarget`. Undefined if the text has a port, path or wildcard. */
export const parseHost = (text: string): string | undefined => {
  if (/[\s/\\?#@*]/.test(text)) return undefined
  const bracketed = isIPv6(text) ? `[${text}]` : text
  if (bracketed.includes(':') && !/^\[[^\]]*\]$/.test(bracketed)) return undefined
  const url = URL.parse(`http://${bracketed}`)
  return url === null ? undefined : readHost(url) || undefined
}

export const resolveTarget = async (
  address: string,
  allowed: ReadonlySet<string>,
  lookup: Lookup,
): Promise<Target> => {
  const url = URL.parse(address)
  if (url === null) return { refused: 'not a valid URL' }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { refused: `scheme not allowed: ${url.protocol.slice(0, -1)}` }
  }
  if (url.username !== '' || url.password !== '') return { refused: 'credentials in the URL not allowed' }

  // A name in TLS has no trailing dot (RFC 6066).
  url.hostname = url.hostname.replace(/\.$/, '')
  const host = readHost(url)
  const family = isIP(host)
  let addresses: readonly TargetAddress[]
  try {
    addresses = family > 0 ? [{ address: host, family }] : await lookup(host, { all: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOTFOUND' ? { refused: 'host not found' } : { unresolved: 'host lookup failed' }
  }
  if (addresses.length === 0) return { refused: 'host not found' }
  const findForbidden = (isNamed: boolean) =>
    addresses.find(({ address }) => !canConnect(address, isNamed, family > 0))
  const forbidden = findForbidden(allowed.has(host))
  if (forbidden === undefined) return { url, addresses }
  const canBeAllowed = findForbidden(true) === undefined
  const way = canBeAllowed ? ` (allow it with --webhook-allow ${host})` : ''
  return { refused: `address not allowed: ${forbidden.address}${way}` }
}
