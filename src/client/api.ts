// The calls of order-service.md 4 over any transport. Each call has exactly one outcome.

import { endpoints } from '../contract/endpoints.ts'
import { writeJson } from '../contract/json.ts'
import type { OrderRequest } from '../contract/order/order-request.ts'
import { isOrderId } from '../contract/order/order-words.ts'
import type { Operation } from '../contract/refusals.ts'
import {
  type ConfirmedOrder,
  type CreatedOrder,
  confirmResponse,
  createResponse,
  getResponse,
  type Order,
} from '../contract/schemas.ts'
import { confirmedState } from '../contract/states.ts'
import { type Clock, within } from '../contract/time/clock.ts'
import { CutOffError, NotSentError, type Transport } from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import { findInvoiceMismatch } from './invoice-mismatch.ts'
import { type Expectation, judgeResponse, type Outcome } from './outcome.ts'
import { isSuccess, readCutOff, readResponse, salvageId } from './parsed-response.ts'
import { withRetries } from './retry.ts'

export type ApiOptions = {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
  /** At least 0 and less than 1. */
  readonly random: () => number
  /** The deadline of each call (default: 45 s for create and confirm, 30 s for get). */
  readonly timeoutMs?: number | undefined
  /** Called with the `Date` of each response, in milliseconds. */
  readonly onServerTime?: (ms: number) => void
}

type CallOptions = { readonly signal?: AbortSignal | undefined }

export type Api = {
  create(request: OrderRequest, options?: CallOptions): Promise<Outcome<CreatedOrder>>
  confirm(orderId: string, options?: CallOptions): Promise<Outcome<ConfirmedOrder>>
  get(orderId: string, options?: CallOptions): Promise<Outcome<Order>>
  timeoutMs(operation: Operation): number
}

const defaultTimeoutsMs: Record<Operation, number> = { create: 45_000, confirm: 45_000, get: 30_000 }

/** A response that took longer may show an order as it was before a confirm took effect. */
const maxAgeMs = 30_000

type Call<Data> = Expectation<Data> & { readonly query?: string; readonly body?: string }

export const createApi = (transport: Transport, options: ApiOptions): Api => {
  const { clock, random, timeoutMs, onServerTime } = options
  const sendWithRetries = withRetries(transport, { clock, random })
  const getTimeoutMs = (operation: Operation): number => timeoutMs ?? defaultTimeoutsMs[operation]

  const send = async <Data>(outer: AbortSignal | undefined, call: Call<Data>): Promise<Outcome<Data>> => {
    const { operation, query = '', body } = call
    const { method, path } = endpoints[operation]
    const headers = {
      accept: 'application/json',
      // A cached response would prove nothing about an order.
      ...(operation === 'get' && { 'cache-control': 'no-cache' }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const startedAt = clock.monotonic()
    try {
      const response = await within(clock, getTimeoutMs(operation), outer, (signal) =>
        sendWithRetries({ method, path: path + query, headers, body, signal }),
      )
      const parsed = readResponse(response)
      const isOld = parsed.isCached || clock.monotonic() - startedAt > maxAgeMs
      return { ...judgeResponse(call, parsed), ...(isOld && { isOld }) }
    } catch (error) {
      return judgeFailure(call, error)
    }
  }

  const call = async <Data>({ signal }: CallOptions = {}, call: Call<Data>): Promise<Outcome<Data>> => {
    if (signal?.aborted) return { kind: 'not-sent', reason: 'interrupted' }
    const outcome = await send(signal, call)
    if (outcome.serverTime !== undefined) onServerTime?.(outcome.serverTime)
    return outcome
  }

  return {
    create: (request, options) =>
      call(options, {
        operation: 'create',
        body: writeJson(request),
        sent: [request.reference, ...request.productList.map(({ sku }) => sku)],
        shape: createResponse,
        findMismatch: ({ id, invoice }) =>
          isOrderId(id) ? findInvoiceMismatch(invoice, request) : 'the response has no usable order id',
      }),
    confirm: (orderId, options) =>
      call(options, {
        operation: 'confirm',
        body: writeJson({ orderId }),
        sent: [orderId],
        shape: confirmResponse,
        findMismatch: ({ id, state }) =>
          findOtherOrder(id, orderId) ??
          (state === confirmedState ? undefined : `the response does not say ${confirmedState}`),
      }),
    get: (orderId, options) =>
      call(options, {
        operation: 'get',
        query: `?${new URLSearchParams({ orderId })}`,
        sent: [orderId],
        shape: getResponse,
        findMismatch: ({ uid }) => findOtherOrder(uid, orderId),
      }),
    timeoutMs: getTimeoutMs,
  }
}

const judgeFailure = <Data>(call: Call<Data>, error: unknown): Outcome<Data> => {
  if (error instanceof Failure) throw error
  const reason = error instanceof Error ? error.message : 'failed'
  if (error instanceof NotSentError) return { kind: 'not-sent', reason, advice: error.advice }
  if (!(error instanceof CutOffError)) return { kind: 'unknown', reason }
  // A server may refuse a request and close the connection at once, so the status of an error is enough.
  if (!isSuccess(error.response.status)) return judgeResponse(call, readCutOff(error))
  const body = Buffer.from(error.response.body).toString()
  return { kind: 'unknown', reason, orderId: call.operation === 'create' ? salvageId(body) : undefined }
}

const findOtherOrder = (found: string, wanted: string): string | undefined =>
  found === wanted ? undefined : 'the response is for a different order'
