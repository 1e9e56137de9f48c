// Checks the Host header. Without it, a web page could reach the service through its own DNS name (DNS rebinding).
import { isIP, isIPv4, isIPv6 } from 'node:net'

type BoundAddress = {
  /** The name or address that the user gave. */
  readonly host: string
  /** The address that the system chose for it. */
  readonly address: string
  readonly port: number
}

/** Expects an address in Node's notation. */
export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && /^(?:127\.|::1$|::ffff:127\.)/.test(address)

const addBrackets = (address: string): string => (isIPv6(address) ? `[${address}]` : address)

export const createHostCheck = ({
  host,
  address,
  port,
}: BoundAddress): ((header: string | undefined) => boolean) => {
  const isBoundToLoopback = isLoopback(address)
  const names = ['localhost', '[::1]', addBrackets(host.toLowerCase())]
  const known = new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))

  return (header) => {
    if (header === undefined) return false
    if (known.has(header.toLowerCase())) return true
    // Every address is safe, because DNS rebinding needs a name.
    const [, v6, v4 = '', headerPort = '80'] = /^(?:\[(.*)\]|([\d.]+))(?::(\d+))?$/.exec(header) ?? []
    if (headerPort !== String(port)) return false
    const isAddress = v6 === undefined ? isIPv4(v4) : isIPv6(v6)
    return isAddress && (!isBoundToLoopback || isLoopback(v6 ?? v4))
  }
}

/** The base URL for a client on this machine. It passes the host check. */
export const formatOrigin = ({ host, address, port }: BoundAddress): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? host
  return `http://${addBrackets(reachable)}:${port}`
}
