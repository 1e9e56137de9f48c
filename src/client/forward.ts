// Sends deliveries to a URL of the user, through a proxy if one is set. It never follows a redirect.
import type { Dispatcher } from 'undici'
import type { Clock } from '../contract/clock.ts'
import { CutOffError } from '../contract/transport.ts'
import { withDeadline } from './deadline.ts'
import { type Environment, findProxy, openDispatcher } from './dispatcher.ts'
import { send } from './send.ts'

/** `error`: there was no response. */
export type Sent = { readonly status: number } | { readonly error: string }

type Request = { readonly headers: readonly (readonly [string, string])[]; readonly body: Uint8Array }

type Forwarder = {
  /** Sends it once, and never rejects. */
  post(request: Request, signal: AbortSignal): Promise<Sent>
  close(): Promise<void>
}

const timeoutMs = 30_000

type Options = { readonly environment: Environment; readonly clock: Pick<Clock, 'sleep'> }

/** Throws a Failure of the kind usage if the proxy variable is invalid. */
export const openForwarder = (target: URL, { environment, clock }: Options): Forwarder => {
  const proxy = findProxy(target, environment)
  let opened: Promise<Dispatcher> | undefined
  return {
    post: async ({ headers, body }, signal) => {
      opened ??= openDispatcher(target.origin, proxy, { isLoopbackOnly: false })
      const options = {
        ...{ origin: target.origin, path: target.pathname + target.search, method: 'POST' as const },
        ...{ headers: headers.flat(), body },
        // A reused connection may be closed by the target at that moment.
        reset: true,
        // The deadline limits the time.
        ...{ headersTimeout: 0, bodyTimeout: 0 },
      }
      try {
        const dispatcher = await opened
        return await withDeadline(timeoutMs, clock, signal, (limited) => send(dispatcher, options, limited))
      } catch (error) {
        // The status is enough.
        if (error instanceof CutOffError) return { status: error.response.status }
        return { error: error instanceof Error ? error.message : 'failed' }
      }
    },
    close: async () => {
      if (opened !== undefined) await (await opened).destroy()
    },
  }
}

export const isAccepted = (sent: Sent): boolean =>
  'status' in sent && sent.status >= 200 && sent.status <= 299

export const describeSent = (sent: Sent): string => {
  if ('error' in sent) return sent.error
  const isRedirect = sent.status >= 300 && sent.status <= 399
  return `HTTP ${sent.status}${isRedirect ? ': a redirect, which is not followed' : ''}`
}
