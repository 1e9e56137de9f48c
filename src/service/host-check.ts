// Which names a request may call this listener by. Without the check, any web page could point a name of
// its own at 127.0.0.1 and speak to the service through the reader's browser (DNS rebinding).

export type Bound = {
  /** As it was asked for: a name or an address. */
  readonly host: string
  /** Where that led: an address. */
  readonly address: string
  readonly port: number
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)
// Loose on purpose: in brackets, nothing can be a name that somebody registers.
const ipv6 = /^\[[0-9a-f:.]*:[0-9a-f:.]*\]$/
const loopback = /^(?:127\.[\d.]+|::1|::ffff:127\.[\d.]+)$/
const hostHeader = /^(\[[^\]]*\]|[^[\]:\s,]+)(?::(\d+))?$/

/** Whether an address, as Node writes it, can be reached from this machine alone. */
export const isLoopback = (address: string): boolean => loopback.test(address)

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** Whether a Host header, undefined where there was none, names what is bound here. */
export const hostCheck = (bound: Bound): ((header: string | undefined) => boolean) => {
  const onLoopback = isLoopback(bound.address)
  const names = new Set(['localhost', '[::1]', bracketed(bound.host.toLowerCase())])
  const port = String(bound.port)

  return (header) => {
    const [, name, given = '80'] = hostHeader.exec(header?.toLowerCase() ?? '') ?? []
    if (name === undefined || given !== port) return false
    if (names.has(name)) return true
    if (ipv4.test(name)) return !onLoopback || isLoopback(name)
    return !onLoopback && ipv6.test(name)
  }
}

/** The base address to tell a client on this machine: one that can be connected to, and that passes the check. */
export const originOf = (bound: Bound): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bound.address] ?? bound.host
  return `http://${bracketed(reachable)}:${bound.port}`
}
