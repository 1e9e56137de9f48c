// Checks the Host header. Without it, a web page could reach the service through its own DNS name (DNS rebinding).
import { isIP, isIPv6 } from 'node:net'
import { builtin } from '../builtin.ts'

type BoundAddress = {
  /** The name or address that the user gave. */
  readonly host: string
  /** The address that the system chose for it. */
  readonly address: string
}

/** Expects an address in Node's notation. */
export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && /^(?:127\.|::1$|::ffff:127\.)/.test(address)

/** The port is not compared: a proxy or a mapped port has another one, and DNS rebinding does not depend on it. */
const readName = (header = ''): string | undefined => {
  const [, v6, name] = /^(?:\[(.*)\]|([\w.-]+))(?::\d{1,5})?$/.exec(header) ?? []
  if (v6 === undefined) return name?.toLowerCase()
  return isIPv6(v6) ? v6.toLowerCase() : undefined
}

/** `allowed` has names and addresses in lower case, without brackets. */
export const createHostCheck = (
  { host, address }: BoundAddress,
  allowed: Iterable<string> = [],
): ((header: string | undefined) => boolean) => {
  const isBoundToLoopback = isLoopback(address)
  const known = new Set(['localhost', host.toLowerCase(), ...allowed])
  if (!isBoundToLoopback) {
    // With and without its domain.
    const ownName = builtin.os().hostname().toLowerCase()
    known.add(ownName).add(ownName.replace(/\..*/, ''))
  }

  return (header) => {
    const name = readName(header)
    if (name === undefined) return false
    if (known.has(name)) return true
    // Every address is safe, because DNS rebinding needs a name.
    return isIP(name) !== 0 && (!isBoundToLoopback || isLoopback(name))
  }
}

export const describeForeignHost = (header: string | undefined, origin: string): string => {
  const name = readName(header)
  return name === undefined
    ? `The Host header is missing or not valid. Use ${origin}.`
    : `The host ${name} is not allowed. Use ${origin}, or allow this host with --allow-host ${name}.`
}

/** The base URL for a client on this machine. It passes the host check. */
export const formatOrigin = ({ host, address, port }: BoundAddress & { readonly port: number }): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? host
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}
