// Sends deliveries to the user's URL, through a proxy if one is set. It never follows a redirect.
import type { Dispatcher } from 'undici'
import { type Clock, within } from '../contract/time.ts'
import { type Environment, findProxy, openDispatcher } from '../http/dispatcher.ts'
import { type Posted, post } from '../http/send.ts'

type Options = { readonly environment: Environment; readonly clock: Pick<Clock, 'sleep'> }
const timeoutMs = 30_000

/** Throws a Failure of the kind usage if the proxy variable is invalid. */
export const openForwarder = (target: URL, { environment, clock }: Options) => {
  const proxy = findProxy(target, environment)
  let opened: Promise<Dispatcher> | undefined
  return {
    /** Sends it once. Returns why the target does not accept it. Rejects if there is no response. */
    post: async (delivery: Posted, signal: AbortSignal): Promise<string | undefined> => {
      opened ??= openDispatcher(target.origin, proxy, { isLoopbackOnly: false })
      const dispatcher = await opened
      const { status } = await within(clock, timeoutMs, signal, (limited) =>
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
