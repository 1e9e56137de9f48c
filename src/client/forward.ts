// Sends deliveries to a URL of the user, through a proxy if one is set. It never follows a redirect.
import type { Dispatcher } from 'undici'
import { type Clock, within } from '../contract/clock.ts'
import { CutOffError } from '../contract/transport.ts'
import { type Environment, findProxy, openDispatcher } from './dispatcher.ts'
import { send } from './send.ts'

type Forwarded = { readonly headers: readonly (readonly [string, string])[]; readonly body: Uint8Array }

type Options = { readonly environment: Environment; readonly clock: Pick<Clock, 'sleep'> }

const timeoutMs = 30_000

/** Throws a Failure of the kind usage if the proxy variable is invalid. */
export const openForwarder = (target: URL, { environment, clock }: Options) => {
  const proxy = findProxy(target, environment)
  let opened: Promise<Dispatcher> | undefined
  return {
    /** Sends it once. Returns why the target does not accept it. Rejects if there is no response. */
    post: async ({ headers, body }: Forwarded, signal: AbortSignal): Promise<string | undefined> => {
      opened ??= openDispatcher(target.origin, proxy, { isLoopbackOnly: false })
      const dispatcher = await opened
      const options = {
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'POST' as const,
        headers: headers.flat(),
        body,
        // A reused connection may be closed by the target at that moment.
        reset: true,
        // The deadline limits the time.
        headersTimeout: 0,
        bodyTimeout: 0,
      }
      const { status } = await within(clock, timeoutMs, signal, (limited) =>
        send(dispatcher, options, limited),
      ).catch((error) => {
        // The status is enough.
        if (error instanceof CutOffError) return error.response
        throw error
      })
      if (status >= 200 && status <= 299) return undefined
      const isRedirect = status >= 300 && status <= 399
      return `HTTP ${status}${isRedirect ? ': a redirect, which is not followed' : ''}`
    },
    close: async (): Promise<void> => {
      if (opened !== undefined) await (await opened).destroy()
    },
  }
}
