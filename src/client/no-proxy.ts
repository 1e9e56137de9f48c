// NO_PROXY: the hosts that are reached without the proxy, read as curl and most others read it.

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Without the brackets of IPv6 and the dot that ends a full name. */
const stripHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(.)\.$/, '$1')

/** `shop.test`, `.shop.test`, `*.shop.test`, `*`, an address, each with a port or without. */
const covers = (entry: string, host: string, port: string): boolean => {
  // An IPv6 address has many colons. With a port, it is in brackets.
  const [, named = entry, wanted = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? []
  if (wanted !== port) return false
  if (named === '*') return true
  const name = stripHost(named.replace(/^\*?\./, ''))
  // A star needs a name before the dot.
  return host.endsWith(`.${name}`) || (host === name && !named.startsWith('*'))
}

export const isExcepted = ({ protocol, hostname, port }: URL, exceptions: string): boolean =>
  exceptions
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => covers(entry, stripHost(hostname), port || (defaultPorts[protocol] ?? '')))
