// Where a delivery may go (section 6): loopback, and hosts that were named; judged by address, which is then pinned.
import { BlockList, isIP, isIPv6 } from 'node:net'

type Address = { readonly address: string; readonly family: number }

/** As `dns.promises.lookup` is. */
export type Lookup = (host: string, options: { readonly all: true }) => Promise<readonly Address[]>

export type Target =
  /** Connect to these and to no other: asked again, the name may answer differently. */
  | { readonly url: URL; readonly host: string; readonly addresses: readonly Address[] }
  /** Trying again will not help. */
  | { readonly refused: string }
  /** Trying again may help. */
  | { readonly unresolved: string }

// BlockList judges an IPv4-mapped IPv6 address by the IPv4 rules.
const blocks = (...subnets: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/')
    list.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}

const rules = () => ({
  loopback: blocks('127.0.0.0/8', '::1/128'),
  // Link-local, its IPv6 wrappings (compatible, translated, NAT64, 6to4), and the metadata services
  // that clouds keep elsewhere: credentials for the asking, so naming the host does not open them.
  metadata: blocks(
    ...['169.254.0.0/16', 'fe80::/10'],
    ...['::a9fe:0/112', '::ffff:0:a9fe:0/112', '64:ff9b::a9fe:0/112', '2002:a9fe::/32'],
    ...['100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::/32'],
  ),
  notUnicast: blocks('0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8'),
})

const mayConnect = (address: string, named: boolean, literal: boolean): boolean => {
  if (isIP(address) === 0) return false
  const { loopback, metadata, notUnicast } = rules()
  const is = (list: BlockList) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return is(loopback) || (named && !is(metadata) && (literal || !is(notUnicast)))
}

/** The URL parser has lower-cased it, made it ASCII, and read octal, hexadecimal and short IPv4 forms. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** A host as `allowed` must hold it, or undefined where the text is no host alone: no port, path or wildcard. */
export const hostName = (text: string): string | undefined => {
  if (/[\s/\\?#@*]/.test(text)) return undefined
  const bracketed = isIPv6(text) ? `[${text}]` : text
  if (bracketed.includes(':') && !/^\[[^\]]*\]$/.test(bracketed)) return undefined
  const url = URL.parse(`http://${bracketed}`)
  return url === null ? undefined : bareHost(url) || undefined
}

export const resolveTarget = async (
  address: string,
  allowed: ReadonlySet<string>,
  lookup: Lookup,
): Promise<Target> => {
  const url = URL.parse(address)
  if (url === null) return { refused: 'not a URL' }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { refused: `scheme not allowed: ${url.protocol.slice(0, -1)}` }
  }
  if (url.username !== '' || url.password !== '') return { refused: 'credentials in the URL not allowed' }

  const host = bareHost(url)
  const literal = isIP(host)
  let addresses: readonly Address[]
  try {
    addresses = literal > 0 ? [{ address: host, family: literal }] : await lookup(host, { all: true })
  } catch {
    return { unresolved: 'host not found' }
  }
  const named = allowed.has(host)
  const wrong = addresses.find((found) => !mayConnect(found.address, named, literal > 0))
  if (wrong !== undefined) return { refused: `address not allowed: ${wrong.address}` }
  return addresses.length === 0 ? { unresolved: 'host not found' } : { url, host, addresses }
}
