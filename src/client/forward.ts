// Sends deliveries to a URL of the user, through a proxy if one is set. It never follows a redirect.
import type { Dispatcher } from 'undici'
import type { Clock } from '../contract/clock.ts'
import { CutOffError } from '../contract/transport.ts'
import { withDeadline } from './deadline.ts'
import { type Environment, findProxy, openDispatcher } from './dispatcher.ts'
import { send } from './send.ts'

type ForwardRequest = {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

export type Forwarder = {
  /** Sends it once. `error`: there was no answer. */
  post(
    request: ForwardRequest,
    signal: AbortSignal,
  ): Promise<{ readonly status: number } | { readonly error: string }>
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
      try {
        const dispatcher = await opened
        const { status } = await withDeadline(timeoutMs, clock, signal, (limited) =>
          send(dispatcher, options, limited),
        )
        return { status }
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
