// Which names a request may call this listener by. Without the check, any web page could point a name of
// its own at 127.0.0.1 and speak to the service through the reader's browser (DNS rebinding).
import { isIP, isIPv4, isIPv6 } from 'node:net'

type Bound = {
  /** As it was asked for: a name or an address. */
  readonly host: string
  /** Where that led: an address. */
  readonly address: string
  readonly port: number
}

/** Whether an address, as Node writes it, can be reached from this machine alone. */
export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && /^(?:127\.|::1$|::ffff:127\.)/.test(address)

const bracketed = (address: string): string => (isIPv6(address) ? `[${address}]` : address)

/** Whether a Host header, undefined where there was none, names what is bound here. */
export const hostCheck = ({ host, address, port }: Bound): ((header: string | undefined) => boolean) => {
  const onLoopback = isLoopback(address)
  const names = ['localhost', '[::1]', bracketed(host.toLowerCase())]
  const known = new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))

  return (header) => {
    if (header === undefined) return false
    if (known.has(header.toLowerCase())) return true
    // Nobody can register an address, so any that leads here will do.
    const [, v6, v4 = '', given = '80'] = /^(?:\[(.*)\]|([\d.]+))(?::(\d+))?$/.exec(header) ?? []
    if (given !== String(port)) return false
    const named = v6 ?? v4
    return (v6 === undefined ? isIPv4(v4) : isIPv6(v6)) && (!onLoopback || isLoopback(named))
  }
}

/** The base address to tell a client on this machine: one that can be connected to, and that passes the check. */
export const originOf = ({ host, address, port }: Bound): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? host
  return `http://${bracketed(reachable)}:${port}`
}
