// Reads NO_PROXY as curl does.

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Removes the brackets of IPv6 and the trailing dot of a full name. */
const stripHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(.)\.$/, '$1')

/** An entry is `shop.test`, `.shop.test`, `*.shop.test`, `*` or an IP address, with or without a port. */
const isCovered = (entry: string, host: string, port: string): boolean => {
  // An IPv6 address with a port is in brackets.
  const [, named = entry, wanted = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? []
  if (wanted !== port) return false
  if (named === '*') return true
  const name = stripHost(named.replace(/^\*?\./, ''))
  // `*.shop.test` does not include shop.test itself.
  return host.endsWith(`.${name}`) || (host === name && !named.startsWith('*'))
}

export const isExcepted = ({ protocol, hostname, port }: URL, exceptions: string): boolean =>
  exceptions
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => isCovered(entry, stripHost(hostname), port || (defaultPorts[protocol] ?? '')))
