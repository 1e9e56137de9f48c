// Retries requests. A create or confirm is retried only if no byte of it was sent.
import type { Clock } from '../contract/time.ts'
import {
  type HttpRequest,
  type HttpResponse,
  NotSentError,
  readRetryAfter,
  type Transport,
} from '../contract/transport.ts'
import { Failure } from '../errors.ts'

const maxAttempts = 3
const shortestWaitMs = 200
/** The longest waits after the first and the second attempt. */
const longestWaitsMs = [1_000, 5_000]
const longestRetryAfterMs = 30_000

type RetryOptions = { readonly clock: Pick<Clock, 'now' | 'sleep'>; readonly random: () => number }
type Attempt = { readonly response: HttpResponse } | { readonly error: unknown }

export const withRetries =
  (transport: Transport, { clock, random }: RetryOptions): Transport =>
  async (request) => {
    for (let count = 1; ; count += 1) {
      const attempt: Attempt = await transport(request).then(
        (response) => ({ response }),
        (error: unknown) => ({ error }),
      )
      const retryAfter = 'response' in attempt ? readRetryAfter(attempt.response, clock.now()) : undefined
      const isLast = count === maxAttempts || (retryAfter ?? 0) > longestRetryAfterMs
      if (!isLast && canRepeat(request, attempt) && !request.signal?.aborted) {
        const jitter = random() * ((longestWaitsMs[count - 1] ?? shortestWaitMs) - shortestWaitMs)
        await clock.sleep(Math.max(retryAfter ?? shortestWaitMs + jitter, shortestWaitMs), request.signal)
        if (!request.signal?.aborted) continue
      }
      if ('error' in attempt) throw attempt.error
      return attempt.response
    }
  }

const canRepeat = ({ method }: HttpRequest, attempt: Attempt): boolean => {
  // A person must fix the reason, such as an untrusted certificate, so a retry within seconds is pointless.
  if ('error' in attempt && attempt.error instanceof NotSentError) return attempt.error.advice === undefined
  // Checks the method, because a list of operations that spend could be incomplete.
  if (method !== 'GET') return false
  if ('error' in attempt) return !(attempt.error instanceof Failure)
  return attempt.response.status === 429 || attempt.response.status >= 500
}
