// Checks the Host and Origin headers. Without it, a web page could reach the service through its own DNS name (DNS rebinding).
import type { IncomingMessage } from 'node:http'
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

/** The port is not compared: a proxy or a mapped port differs, and DNS rebinding does not depend on the port. */
const readName = (header = ''): string | undefined => {
  const [, v6, name] = /^(?:\[(.*)\]|([\w.-]+))(?::\d{1,5})?$/.exec(header) ?? []
  if (v6 === undefined) return name?.toLowerCase()
  return isIPv6(v6) ? v6.toLowerCase() : undefined
}

/** `allowed` contains names and addresses in lower case, without brackets. */
export const createHostCheck = (
  { host, address }: BoundAddress,
  allowed: Iterable<string> = [],
): ((header: string | undefined) => boolean) => {
  const isBoundToLoopback = isLoopback(address)
  const known = new Set(['localhost', host.toLowerCase(), ...allowed])
  if (!isBoundToLoopback) {
    // This machine's name, with and without its domain.
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

/** The base URL for a client on this machine. It passes the host check. */
export const formatOrigin = ({ host, address, port }: BoundAddress & { readonly port: number }): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? host
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}

export type Refusal = readonly [status: number, message: string]

export const foreignHostStatus = 421

/**
 * Refuses foreign Host and Origin headers. Otherwise any web page could use the server. `isFromOwnPage` returns whether
 * a request with an Origin comes from the server's own page.
 */
export const createForeignCheck = (
  bound: BoundAddress & { readonly port: number },
  allowed: Iterable<string> | undefined,
  isFromOwnPage?: (path: string, origin: string, host: string) => boolean,
): ((req: IncomingMessage) => Refusal | undefined) => {
  const isOurHost = createHostCheck(bound, allowed)
  const use = `Use ${formatOrigin(bound)}`
  return ({ headers: { host = '', origin }, url = '' }) => {
    if (!isOurHost(host)) {
      const name = readName(host)
      const problem =
        name === undefined
          ? `The Host header is missing or not valid. ${use}.`
          : `The host ${name} is not allowed. ${use}, or allow this host with --allow-host ${name}.`
      return [foreignHostStatus, problem]
    }
    if (origin === undefined || isFromOwnPage?.(url, origin, host) === true) return undefined
    return [403, 'Requests from web pages are not accepted. Send the request without an Origin header.']
  }
}
