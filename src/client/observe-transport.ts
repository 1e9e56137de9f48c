// Reports how each attempt of a request ended, also the attempts that are retried.

import { findOperation } from '../contract/endpoints.ts'
import { isVerbatim, type Operation, recogniseRefusal } from '../contract/refusals.ts'
import { type Clock, DeadlineError } from '../contract/time/clock.ts'
import { CutOffError, type HttpResponse, NotSentError, type Transport } from '../contract/transport.ts'
import { findMessages } from './error-text.ts'
import { isSuccess, readResponse } from './parsed-response.ts'
import { readRetryAfter } from './retry.ts'

export type Attempt = {
  /** Absent for a request that is not an operation of the service. */
  readonly operation?: Operation
  /** By the monotonic clock, in milliseconds. */
  readonly startedAt: number
  /** Absent if there was no response. */
  readonly status?: number
  readonly retryAfterMs?: number
  /** The message is documented, so the service works although the status is 500. */
  readonly isBusinessRefusal?: true
  readonly error?: 'not-sent' | 'timeout' | 'other'
}

type Options = {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly onAttempt: (attempt: Attempt) => void
}

/** Does not report an attempt that the caller aborted, because it proves nothing about the service. */
export const withObserver =
  (transport: Transport, { clock, onAttempt }: Options): Transport =>
  async (request) => {
    const operation = findOperation(request.method, request.path)
    const known = { operation, startedAt: clock.monotonic() }
    const report = (response: HttpResponse): void => {
      const { status } = response
      const retryAfterMs = readRetryAfter(response, clock.now())
      const isRefusal = operation !== undefined && status === 500 && isBusinessRefusal(operation, response)
      onAttempt({ ...known, status, retryAfterMs, isBusinessRefusal: isRefusal || undefined })
    }
    const { signal } = request
    try {
      const response = await transport(request)
      report(response)
      return response
    } catch (error) {
      // The status of an error is enough, even if its body is incomplete.
      if (error instanceof CutOffError && !isSuccess(error.response.status)) report(error.response)
      else if (!signal?.aborted)
        onAttempt({ ...known, error: error instanceof NotSentError ? 'not-sent' : 'other' })
      else if (signal.reason instanceof DeadlineError) onAttempt({ ...known, error: 'timeout' })
      throw error
    }
  }

const isBusinessRefusal = (operation: Operation, response: HttpResponse): boolean =>
  findMessages(readResponse(response).content).some((message) => {
    const refusal = recogniseRefusal(operation, response.status, message)
    return refusal !== undefined && isVerbatim(refusal, message)
  })
