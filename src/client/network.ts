// The network transport to one base URL. It never follows a redirect, never sends a request twice, and asks for no
// compression: a response is small, and a compressed one may be a bomb. Below it, deliveries of webhooks to a URL of the user.

import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { parseBaseUrl } from '../contract/account-id.ts'
import { type Clock, within } from '../contract/time.ts'
import {
  CutOffError,
  type HttpRequest,
  type HttpResponse,
  NotSentError,
  type Transport,
} from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import { type Environment, findProxy, openDispatcher, type ProxyChoice } from '../http/dispatcher.ts'
import { type Posted, post, send } from '../http/send.ts'
import { isBrokenInstallation } from '../package-file.ts'

/** The status counts, but the body cannot be read. */
const refuseEncoded = (response: HttpResponse): HttpResponse => {
  const { 'content-encoding': encoding = '' } = response.headers
  if (/^\s*(identity)?\s*$/i.test(encoding)) return response
  throw new CutOffError('the response is compressed, which orderctl did not ask for', {
    ...response,
    body: '',
  })
}

export type NetworkOptions = {
  /** `https://HOST` or `https://HOST/PREFIX`. */
  readonly baseUrl: string
  /** Also allows plain http to other machines. */
  readonly allowHttp?: boolean | undefined
  /** Contains the proxy variables. */
  readonly environment: Environment
  readonly userAgent?: string | undefined
  /** Replaces the system's name resolver. */
  readonly lookup?: LookupFunction | undefined
}

export type Network = Transport & {
  /** Closes the connections. Pending requests fail. */
  close(): Promise<void>
}

/** Throws a Failure of the kind usage if the address or the proxy is invalid. */
export const createNetwork = (options: NetworkOptions): Network => {
  const { baseUrl, allowHttp = false, environment, userAgent = 'orderctl', lookup } = options
  const base = parseBase(baseUrl, allowHttp)
  const prefix = base.pathname.replace(/\/+$/, '')
  const proxy = findProxy(base, environment)
  const isLoopbackOnly = base.protocol === 'http:' && !allowHttp
  const opened = new Map<string, Promise<Dispatcher>>()
  let closed = false

  // A create or confirm never reuses a connection. The service may be closing it at that moment, and then it is
  // unknown whether the service read the request.
  const dispatcherFor = (use: 'reads' | 'changes'): Promise<Dispatcher> => {
    const dispatcher = opened.get(use) ?? openDispatcher(base.origin, proxy, { isLoopbackOnly, lookup })
    opened.set(use, dispatcher)
    return dispatcher
  }

  const transport = async ({ method, path, headers, body, signal }: HttpRequest) => {
    if (closed) throw new NotSentError('the client was closed')
    const use = method === 'GET' ? 'reads' : 'changes'
    const options = {
      ...{ origin: base.origin, path: prefix + path, method, body },
      headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers },
      reset: use === 'changes',
      // These idle timeouts do not stop a slow server, so the signal carries the deadline.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    }
    const dispatcher = await dispatcherFor(use).catch((error) => {
      throw new NotSentError(
        isBrokenInstallation(error)
          ? 'a file of orderctl is missing or incomplete'
          : 'the connection could not be prepared',
      )
    })
    return refuseEncoded(await send(dispatcher, options, signal).catch(addVariables(environment, proxy)))
  }

  return Object.assign(transport, {
    close: async (): Promise<void> => {
      closed = true
      await Promise.allSettled([...opened.values()].map(async (dispatcher) => (await dispatcher).destroy()))
    },
  })
}

/** Reports the environment variables that explain the failure, because users forget that they have set a proxy. */
const addVariables =
  (environment: Environment, proxy: ProxyChoice | undefined) =>
  (error: unknown): never => {
    if (!(error instanceof NotSentError)) throw error
    const isUntrusted = error.message.startsWith('certificate') && environment[unsafeVariable] === '0'
    const notes = [
      // Without the login.
      proxy === undefined ? '' : `${proxy.variable} is ${new URL(proxy.uri).host}`,
      isUntrusted ? `${unsafeVariable} is ignored` : '',
    ].filter(Boolean)
    throw notes.length === 0
      ? error
      : new NotSentError(`${error.message} (${notes.join('; ')})`, error.advice)
  }

/** Node would connect without checking the certificate. */
const unsafeVariable = 'NODE_TLS_REJECT_UNAUTHORIZED'

/** The error omits the URL because it may contain a password. */
const parseBase = (baseUrl: string, allowHttp: boolean): URL => {
  const parsed = parseBaseUrl(baseUrl, allowHttp)
  if ('baseUrl' in parsed) return new URL(parsed.baseUrl)
  throw new Failure('usage', `the base URL is invalid; allowed: ${parsed.problems.join('; ')}`, {
    advice: 'Set it to https://HOST or https://HOST/PREFIX.',
  })
}

type ForwardOptions = { readonly environment: Environment; readonly clock: Pick<Clock, 'sleep'> }
const forwardTimeoutMs = 30_000

/** Sends deliveries to the user's URL. Throws a Failure of the kind usage if the proxy variable is invalid. */
export const openForwarder = (target: URL, { environment, clock }: ForwardOptions) => {
  const proxy = findProxy(target, environment)
  let opened: Promise<Dispatcher> | undefined
  return {
    /** Sends it once. Returns why the target does not accept it. Rejects if there is no response. */
    post: async (delivery: Posted, signal: AbortSignal): Promise<string | undefined> => {
      opened ??= openDispatcher(target.origin, proxy, { isLoopbackOnly: false })
      const dispatcher = await opened
      const { status } = await within(clock, forwardTimeoutMs, signal, (limited) =>
        post(dispatcher, target, delivery, limited),
      )
      if (status >= 200 && status <= 299) return undefined
      const isRedirect = status >= 300 && status <= 399
      return `HTTP ${status}${isRedirect ? ': a redirect, which is not followed' : ''}`
    },
    close: async (): Promise<void> => {
      if (opened !== undefined) await (await opened).destroy()
    },
  }
}
