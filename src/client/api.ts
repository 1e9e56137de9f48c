// The calls of order-service.md 4 over any transport. Each call has exactly one outcome.
import { type Clock, within } from '../contract/clock.ts'
import { endpoints } from '../contract/endpoints.ts'
import { writeJson } from '../contract/json.ts'
import type { OrderRequest } from '../contract/order-request.ts'
import { isOrderId } from '../contract/order-words.ts'
import type { Operation } from '../contract/refusals.ts'
import {
  type ConfirmedOrder,
  type CreatedOrder,
  confirmResponse,
  createResponse,
  getResponse,
  type Order,
} from '../contract/schemas.ts'
import { CutOffError, type HttpRequest, NotSentError, type Transport } from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import { findInvoiceMismatch } from './invoice-mismatch.ts'
import { type Expectation, judgeResponse, type Outcome } from './outcome.ts'
import { isSuccess, readCutOff, readResponse, salvageId } from './parsed-response.ts'
import { type RetryDeps, withRetries } from './retry.ts'

export type ApiOptions = RetryDeps & {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** The deadline of each call (default: 45 s for create and confirm, 30 s for get). */
  readonly timeoutMs?: number | undefined
}

type CallOptions = { readonly signal?: AbortSignal | undefined }

export type Api = {
  create(request: OrderRequest, options?: CallOptions): Promise<Outcome<CreatedOrder>>
  confirm(orderId: string, options?: CallOptions): Promise<Outcome<ConfirmedOrder>>
  get(orderId: string, options?: CallOptions): Promise<Outcome<Order>>
  timeoutMs(operation: Operation): number
}

const defaultTimeoutsMs: Readonly<Record<Operation, number>> = {
  create: 45_000,
  confirm: 45_000,
  get: 30_000,
}

export const createApi = (transport: Transport, { clock, random, timeoutMs }: ApiOptions): Api => {
  const sendWithRetries = withRetries(transport, { clock, random })
  const getTimeoutMs = (operation: Operation): number => timeoutMs ?? defaultTimeoutsMs[operation]

  const call = async <Data>(
    expected: Expectation<Data>,
    target: { readonly query?: string; readonly body?: string },
    { signal: outer }: CallOptions = {},
  ): Promise<Outcome<Data>> => {
    const { operation } = expected
    const { method, path } = endpoints[operation]
    const { query = '', body } = target
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const request: HttpRequest = {
      method,
      path: path + query,
      headers: { accept: 'application/json', ...type },
      body,
    }
    if (outer?.aborted) return { kind: 'not-sent', reason: 'interrupted' }
    try {
      const response = await within(clock, getTimeoutMs(operation), outer, (signal) =>
        sendWithRetries({ ...request, signal }),
      )
      return judgeResponse(expected, readResponse(response))
    } catch (error) {
      if (error instanceof Failure) throw error
      const reason = error instanceof Error ? error.message : 'failed'
      if (error instanceof NotSentError) return { kind: 'not-sent', reason }
      if (!(error instanceof CutOffError)) return { kind: 'unknown', reason }
      // A server may refuse a request and close the connection at once, so the status of an error is enough.
      if (!isSuccess(error.response.status)) return judgeResponse(expected, readCutOff(error))
      const orderId =
        operation === 'create' ? salvageId(Buffer.from(error.response.body).toString()) : undefined
      return { kind: 'unknown', reason, orderId }
    }
  }

  return {
    create: (request, options) =>
      call(
        {
          operation: 'create',
          sent: [request.reference, ...request.productList.map(({ sku }) => sku)],
          shape: createResponse,
          findMismatch: (data) => findCreateMismatch(data, request),
        },
        { body: writeJson(request) },
        options,
      ),
    confirm: (orderId, options) =>
      call(
        {
          operation: 'confirm',
          sent: [orderId],
          shape: confirmResponse,
          findMismatch: (data) => findConfirmMismatch(data, orderId),
        },
        { body: writeJson({ orderId }) },
        options,
      ),
    get: (orderId, options) =>
      call(
        {
          operation: 'get',
          sent: [orderId],
          shape: getResponse,
          findMismatch: ({ uid }) => findOtherOrder(uid, orderId),
        },
        { query: `?${new URLSearchParams({ orderId })}` },
        options,
      ),
    timeoutMs: getTimeoutMs,
  }
}

const findCreateMismatch = ({ id, invoice }: CreatedOrder, request: OrderRequest): string | undefined =>
  isOrderId(id) ? findInvoiceMismatch(invoice, request) : 'the response has no usable order id'

const findOtherOrder = (found: string, wanted: string): string | undefined =>
  found === wanted ? undefined : 'the response is about another order'

const findConfirmMismatch = ({ id, state }: ConfirmedOrder, orderId: string): string | undefined =>
  findOtherOrder(id, orderId) ?? (state === 'confirmed' ? undefined : 'the response does not say confirmed')
