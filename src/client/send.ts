// One request on the wire, one answer from it, and the knowledge of whether a byte has left.
import type { Dispatcher } from 'undici'
import { jsonLimits } from '../contract/json.ts'
import { CutOff, type Headers, type HttpResponse, NotSent } from '../contract/transport.ts'
import { abortReason, reasonOf } from './reasons.ts'

type Sent = Dispatcher.DispatchOptions & { readonly origin: string }
type Received = HttpResponse & { readonly body: Uint8Array }

export const tooLarge = `the answer is larger than ${jsonLimits.maxBytes / 1024 ** 2} MiB`

const plain = (headers: object): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  )

/**
 * Throws NotSent, or any other Error from the moment on that the head of this very request is written: undici
 * calls onRequestStart right before that, then publishes `undici:client:sendHeaders`. The call is used, for the
 * channel is the process's and cannot tell two like requests apart.
 */
export const send = (
  dispatcher: Dispatcher,
  options: Sent,
  signal: AbortSignal | undefined,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let status = 0
    let headers: Headers = {}
    let started: Dispatcher.DispatchController | undefined
    let over = false

    const settle = (): void => {
      over = true
      signal?.removeEventListener('abort', abort)
    }
    const failure = (reason: string): Error => {
      if (started === undefined) return new NotSent(reason)
      if (status === 0) return new Error(reason)
      return new CutOff(reason, { status, headers, body: Buffer.concat(chunks) })
    }
    const fail = (reason: string): void => {
      if (over) return
      settle()
      reject(failure(reason))
      started?.abort(new Error(reason))
    }
    const abort = (): void => fail(abortReason(signal as AbortSignal))
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)

    dispatcher.dispatch(options, {
      onRequestStart: (controller) => {
        // Given up while it waited for a connection; or, a second time, about to be sent again.
        if (over || started !== undefined) controller.abort(new Error('not to be sent'))
        else started = controller
      },
      onResponseStart: (_controller, statusCode, found) => {
        if (statusCode < 200) return
        status = statusCode
        headers = plain(found)
      },
      onResponseData: (_controller, chunk) => {
        size += chunk.length
        if (size > jsonLimits.maxBytes) fail(tooLarge)
        else chunks.push(chunk)
      },
      onResponseEnd: () => {
        if (over) return
        settle()
        resolve({ status, headers, body: Buffer.concat(chunks) })
      },
      onResponseError: (_controller, error) => fail(reasonOf(error, new URL(options.origin).hostname)),
    })
  })
