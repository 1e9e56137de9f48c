// Opens connections with undici, directly or through a proxy. undici is loaded at the first request.
import type { Dispatcher } from 'undici'
import { isLoopbackHost } from '../contract/account-id.ts'
import { Failure } from '../errors.ts'
import type { DirectOptions } from './direct-pool.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type ProxyChoice = {
  readonly variable: string
  readonly uri: string
}

const readProxyVariable = (environment: Environment, name: string): string =>
  (environment[name.toLowerCase()] ?? environment[name] ?? '').trim()

/** Loopback addresses never use a proxy, because plain http must not leave this machine. */
export const findProxy = (url: URL, environment: Environment): ProxyChoice | undefined => {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const value = readProxyVariable(environment, name)
  if (value === '' || isLoopbackHost(url.hostname)) return undefined
  const uri = value.includes('://') ? value : `http://${value}`
  // The error omits the value because it may contain a password.
  if (!/^https?:\/\/[^/]/i.test(uri) || !isDecodable(uri))
    throw new Failure('usage', `${name} is not a valid proxy address`, {
      advice: `Set ${name} to http://HOST:PORT.`,
    })
  return isExcepted(url, readProxyVariable(environment, 'NO_PROXY')) ? undefined : { variable: name, uri }
}

const isDecodable = (uri: string): boolean => {
  try {
    const { username, password } = new URL(uri)
    return decodeURIComponent(username + password) !== undefined
  } catch {
    return false
  }
}

export const openDispatcher = async (
  origin: string,
  proxy: ProxyChoice | undefined,
  options: DirectOptions,
): Promise<Dispatcher> => {
  const { openDirectPool, tlsOptions } = await import('./direct-pool.ts')
  if (proxy === undefined) return openDirectPool(origin, options)
  const [{ default: ProxyAgent }, { default: Pool }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/api/api-connect.js'),
  ])
  return new ProxyAgent({
    uri: proxy.uri,
    ...tlsOptions,
    requestTls: tlsOptions,
    proxyTls: tlsOptions,
    // The main module of undici adds this method to every dispatcher, but its parts do not.
    clientFactory: (origin, options) => Object.assign(new Pool(origin, options), { connect }),
  })
}

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
