// Sends one request and reads its response. Its errors tell whether a byte was sent.
import type { Dispatcher } from 'undici'
import { jsonLimits } from '../contract/json.ts'
import { CutOffError, type Headers, type HttpResponse, NotSentError } from '../contract/transport.ts'
import { describeAbort, describeError } from './reasons.ts'

type SendOptions = Dispatcher.DispatchOptions & { readonly origin: string }
type ReceivedResponse = HttpResponse & { readonly body: Uint8Array }

export const tooLargeReason = `the response is larger than ${jsonLimits.maxBytes / 1024 ** 2} MiB`

const flattenHeaders = (headers: object): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  )

/**
 * Throws NotSentError until the head of this request is written, and another Error from then on. undici calls
 * onRequestStart right before it writes the head. Its channel `undici:client:sendHeaders` cannot distinguish two equal
 * requests of one process.
 */
export const send = (
  dispatcher: Dispatcher,
  options: SendOptions,
  signal: AbortSignal | undefined,
): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let status = 0
    let headers: Headers = {}
    let started: Dispatcher.DispatchController | undefined
    let isOver = false

    const finish = (): void => {
      isOver = true
      signal?.removeEventListener('abort', abort)
    }
    const makeError = (reason: string): Error => {
      if (started === undefined) return new NotSentError(reason)
      if (status === 0) return new Error(reason)
      return new CutOffError(reason, { status, headers, body: Buffer.concat(chunks) })
    }
    const fail = (reason: string): void => {
      if (isOver) return
      finish()
      reject(makeError(reason))
      started?.abort(new Error(reason))
    }
    const abort = (): void => fail(describeAbort(signal as AbortSignal))
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)

    dispatcher.dispatch(options, {
      onRequestStart: (controller) => {
        // The call ended while it waited for a connection, or undici is about to retry the request.
        if (isOver || started !== undefined) controller.abort(new Error('not to be sent'))
        else started = controller
      },
      onResponseStart: (_controller, statusCode, found) => {
        if (statusCode < 200) return
        status = statusCode
        headers = flattenHeaders(found)
      },
      onResponseData: (_controller, chunk) => {
        size += chunk.length
        if (size > jsonLimits.maxBytes) fail(tooLargeReason)
        else chunks.push(chunk)
      },
      onResponseEnd: () => {
        if (isOver) return
        finish()
        resolve({ status, headers, body: Buffer.concat(chunks) })
      },
      onResponseError: (_controller, error) => fail(describeError(error, new URL(options.origin).hostname)),
    })
  })
