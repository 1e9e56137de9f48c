// Reports how each attempt of a request ended, also the attempts that are retried, and records what --debug shows about each
// request: never a key, a header or a body.

import { isVerbatim, type Operation, recogniseRefusal } from '../contract/refusals.ts'
import { type Clock, DeadlineError } from '../contract/time.ts'
import {
  CutOffError,
  findOperation,
  type HttpResponse,
  NotSentError,
  readRetryAfter,
  type Transport,
} from '../contract/transport.ts'
import { findMessages, isSuccess, readResponse } from './response.ts'

export type CallAttempt = {
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
  readonly onAttempt: (attempt: CallAttempt) => void
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

export type TraceEvent = {
  readonly method: string
  readonly url: string
  /** Absent if there was no response. */
  readonly status?: number
  /** The reason if there was no response. */
  readonly failure?: string
  readonly ms: number
  readonly requestBytes: number
  readonly responseBytes?: number
  /** The service's id of the request, from a header of its response. */
  readonly requestId?: string
}

type TraceOptions = {
  readonly clock: Pick<Clock, 'now'>
  readonly baseUrl?: string
  readonly onRequest: (event: TraceEvent) => void
}

/** Records one event per attempt. */
export const withTracing =
  (transport: Transport, { clock, baseUrl = '', onRequest }: TraceOptions): Transport =>
  async (request) => {
    const { method, path, body = '' } = request
    const start = clock.now()
    const record = (more: Partial<TraceEvent>): void =>
      onRequest({
        ...{ method, url: baseUrl.replace(/\/+$/, '') + path, ms: clock.now() - start },
        requestBytes: Buffer.byteLength(body),
        ...more,
      })
    try {
      const response = await transport(request)
      const { status, headers } = response
      record({
        ...{ status, responseBytes: Buffer.byteLength(response.body) },
        requestId: headers['x-request-id'] ?? headers['request-id'],
      })
      return response
    } catch (error) {
      record({ failure: error instanceof Error ? error.message : 'failed' })
      throw error
    }
  }
