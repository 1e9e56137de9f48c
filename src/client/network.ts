// The network as a transport: one service at one base address. It never follows a redirect or sends a request again.
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { parseBaseUrl } from '../contract/base-url.ts'
import { CutOff, type HttpRequest, NotSent, type Transport } from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import { acceptEncoding, decodePartly, decodeResponse } from './content-encoding.ts'
import { type Environment, findProxy, openDispatcher, type ProxyChoice } from './dispatcher.ts'
import { send } from './send.ts'

export type NetworkOptions = {
  /** `https://HOST` or `https://HOST/PREFIX`. */
  readonly baseUrl: string
  /** Also allows plain http to other machines. */
  readonly allowHttp?: boolean | undefined
  /** The proxy variables are read from it. */
  readonly environment: Environment
  readonly userAgent?: string | undefined
  /** Resolves the name of the host if plain http is allowed to this machine alone (default: the system's resolver). */
  readonly lookup?: LookupFunction | undefined
}

export type Network = Transport & {
  /** Ends the connections. Pending requests fail. */
  close(): Promise<void>
}

/** Throws a Failure of the kind usage if the address or the proxy is invalid. */
export const networkTransport = (options: NetworkOptions): Network => {
  const { baseUrl, allowHttp = false, environment, userAgent = 'orderctl', lookup } = options
  const base = parseBase(baseUrl, allowHttp)
  const prefix = base.pathname.replace(/\/+$/, '')
  const proxy = findProxy(base, environment)
  const isLoopbackOnly = base.protocol === 'http:' && !allowHttp
  const opened = new Map<string, Promise<Dispatcher>>()
  let closed = false

  // A create or confirm never uses a connection that was used before: the service may be closing it at that moment,
  // and then it is unknown whether the request was read.
  const dispatcherFor = (use: 'reads' | 'changes'): Promise<Dispatcher> => {
    const dispatcher = opened.get(use) ?? openDispatcher(base.origin, proxy, { isLoopbackOnly, lookup })
    opened.set(use, dispatcher)
    return dispatcher
  }

  const transport = async ({ method, path, headers, body, signal }: HttpRequest) => {
    if (closed) throw new NotSent('the client was closed')
    const use = method === 'GET' ? 'reads' : 'changes'
    const sent = {
      origin: base.origin,
      path: prefix + path,
      method,
      headers: { 'user-agent': userAgent, 'accept-encoding': acceptEncoding, ...headers },
      reset: use === 'changes',
      // A server that drips bytes never trips these time-outs. The signal is the deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(body === undefined ? {} : { body }),
    }
    const dispatcher = await dispatcherFor(use).catch(() => {
      throw new NotSent('the connection could not be prepared')
    })
    return decodeResponse(await send(dispatcher, sent, signal).catch(decodeCutOff).catch(nameProxy(proxy)))
  }

  const close = async (): Promise<void> => {
    closed = true
    await Promise.allSettled([...opened.values()].map(async (dispatcher) => (await dispatcher).destroy()))
  }
  return Object.assign(transport, { close })
}

const decodeCutOff = async (error: unknown): Promise<never> => {
  throw error instanceof CutOff ? new CutOff(error.message, await decodePartly(error.begun)) : error
}

// The proxy itself may have failed, and few people remember that they have one.
const nameProxy =
  (proxy: ProxyChoice | undefined) =>
  (error: unknown): never => {
    if (proxy === undefined || !(error instanceof NotSent)) throw error
    throw new NotSent(`${error.message} (${proxy.variable} is set)`)
  }

/** The error does not repeat the address: it may contain a password. */
const parseBase = (baseUrl: string, allowHttp: boolean): URL => {
  const parsed = parseBaseUrl(baseUrl, allowHttp)
  if ('baseUrl' in parsed) return new URL(parsed.baseUrl)
  throw new Failure('usage', `the base address cannot be used; allowed: ${parsed.problems.join('; ')}`, {
    fix: 'Give it as https://HOST or https://HOST/PREFIX.',
  })
}
