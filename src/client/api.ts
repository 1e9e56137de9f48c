// The calls of order-service.md 4 over any transport. Each call has exactly one outcome, by order-service.md 7. If there is
// any doubt, the outcome is unknown. From top to bottom: the outcome of a response, the calls, the invoice that must match
// the request, and retries: a create or confirm is retried only if no byte of it was sent.

import { writeJson } from '../contract/json.ts'
import { formatAmount, formatDecimal, roundTo, sum, zero } from '../contract/money/decimal.ts'
import type { OrderRequest } from '../contract/order/order-request.ts'
import { isOrderId } from '../contract/order/reference.ts'
import {
  isDocumented,
  isRefusedBeforeActing,
  type Operation,
  type RefusalKind,
  recogniseRefusal,
  refusals,
} from '../contract/refusals.ts'
import {
  type ConfirmedOrder,
  type CreatedOrder,
  confirmResponse,
  createResponse,
  getResponse,
  type Invoice,
  type Order,
} from '../contract/schemas.ts'
import { type Issue, readAs, type Shape } from '../contract/shape.ts'
import { confirmedState } from '../contract/states.ts'
import { type Clock, within } from '../contract/time.ts'
import {
  CutOffError,
  endpoints,
  type HttpRequest,
  type HttpResponse,
  NotSentError,
  readRetryAfter,
  type Transport,
} from '../contract/transport.ts'
import { createViolation, formatPath } from '../contract/violations.ts'
import { Failure } from '../errors.ts'
import {
  type Content,
  findMessages,
  isSuccess,
  maskCodes,
  type ParsedResponse,
  readCutOff,
  readPageTitle,
  readResponse,
  salvageId,
  shorten,
} from './response.ts'

type WithServerTime = {
  /** The service's time at its response, in milliseconds. It is compared with `expiresAt`. */
  readonly serverTime?: number
}

/** A complete, valid response that matches the request. */
export type DoneOutcome<Data> = WithServerTime & {
  readonly kind: 'done'
  readonly data: Data
  readonly message: string
  /** Came from a cache, or took long: it cannot prove that an order is unconfirmed. */
  readonly isOld?: boolean
}

/** Without a `refusal` if the status is a refusal, but the message is not documented. */
export type RefusedOutcome = WithServerTime & {
  readonly kind: 'refused'
  readonly status: number
  /** The service's message. Empty if it sent none. */
  readonly message: string
  readonly refusal?: RefusalKind
}

/** It is proven that no byte of the request was sent. */
export type NotSentOutcome = WithServerTime & {
  readonly kind: 'not-sent'
  readonly reason: string
  readonly advice?: string | undefined
}

/** The call may have taken effect. For `get`: the order could not be read. */
export type UnknownOutcome = WithServerTime & {
  readonly kind: 'unknown'
  readonly reason: string
  readonly status?: number
  /** The id in a response to create that is otherwise not as documented. */
  readonly orderId?: string
  /** The `expiresAt` beside that id. */
  readonly expiresAt?: number
}

export type Outcome<Data> = DoneOutcome<Data> | RefusedOutcome | NotSentOutcome | UnknownOutcome

type Expectation<Data> = {
  readonly operation: Operation
  /** Texts of the request, which are not masked if a response repeats them. */
  readonly sent: readonly string[]
  readonly shape: Shape<{ message: string; data: Data }>
  /** Describes how the data differs from the request. */
  readonly findMismatch: (data: Data) => string | undefined
}

/** The original message determines the outcome, and only then its codes are masked. */
const judgeResponse = <Data>(expected: Expectation<Data>, response: ParsedResponse): Outcome<Data> => {
  const { sent, operation } = expected
  const { status, serverTime } = response
  const outcome = isSuccess(status) ? judgeSuccess(expected, response) : judgeError(operation, response)
  if (outcome.kind === 'refused') return { ...outcome, message: maskCodes(outcome.message, sent), serverTime }
  if (outcome.kind === 'unknown') return { ...outcome, reason: maskCodes(outcome.reason, sent), serverTime }
  return { ...outcome, serverTime }
}

const createUnknown = ({ status }: ParsedResponse, reason: string): UnknownOutcome => ({
  kind: 'unknown',
  reason: `HTTP ${status}: ${reason}`,
  status,
})

const judgeSuccess = <Data>(expected: Expectation<Data>, response: ParsedResponse): Outcome<Data> => {
  const { operation, shape, findMismatch } = expected
  const { content } = response
  const created = operation === 'create' ? findCreated(content) : {}
  const createDoubt = (reason: string): UnknownOutcome => ({ ...createUnknown(response, reason), ...created })
  if (content.kind !== 'json') return createDoubt(describeContent(response))
  const { document } = content
  const read = readAs(shape, document)
  if (read.issues !== undefined)
    return createDoubt(`the response is not as documented: ${describeIssues(read.issues, document)}`)
  const { data, message } = read.data
  const mismatch = findMismatch(data)
  return mismatch === undefined ? { kind: 'done', data, message } : createDoubt(mismatch)
}

const judgeError = (operation: Operation, response: ParsedResponse): RefusedOutcome | UnknownOutcome => {
  const { status, content, redirect } = response
  const messages = findMessages(content)
  const kinds = messages.map((message) => recogniseRefusal(operation, status, message))
  if (operation === 'create' && !isRefusedBeforeActing(status)) {
    const created = findCreated(content)
    // A proxy may turn a success into an error. A refusal may contain the id of something else, such as a product.
    const isDocumentedText = kinds.some((kind) => kind !== undefined && refusals[kind].isVerbatim)
    const isRefusal = content.kind === 'json' && (isDocumentedText || (status >= 400 && status < 500))
    if (created.orderId !== undefined && (created.expiresAt !== undefined || !isRefusal))
      return { ...createUnknown(response, messages[0] ?? 'an error with an order id'), ...created }
  }
  if (status < 400) {
    if (redirect === undefined) return createUnknown(response, 'a response that is not documented')
    return createUnknown(response, `redirected ${redirect}; orderctl does not follow redirects`)
  }
  // order-service.md 5 documents no message for 403. HTTP defines 401 for missing credentials.
  if (status === 401 || status === 403)
    return { kind: 'refused', status, message: messages[0] ?? '', refusal: 'credentials' }
  // A proxy may also respond with these statuses, often with an HTML page.
  const isByStatus = operation !== 'get' && isRefusedBeforeActing(status)
  if (!isByStatus && (content.kind === 'html' || content.kind === 'unreadable'))
    return createUnknown(response, describeContent(response))

  // A status with only one meaning needs no message.
  const refusal = kinds.find((kind) => kind !== undefined) ?? recogniseRefusal(operation, status, '')
  const message = messages[Math.max(0, kinds.indexOf(refusal))] ?? ''
  // A 500 is a refusal only with a documented message: 'Unexpected server error' does not say that nothing happened.
  const isRefusal =
    isByStatus ||
    (status < 500 ? isDocumented(operation, status) : refusal !== undefined && refusals[refusal].isVerbatim)
  if (!isRefusal)
    return createUnknown(response, message === '' ? 'a response that is not documented' : message)
  return { kind: 'refused', status, message, refusal }
}

const describeContent = ({ content, status }: ParsedResponse): string => {
  if (content.kind === 'unreadable') return content.reason
  // The text of a success may contain codes, so only a page's title is shown.
  const [message = ''] =
    status >= 400 ? findMessages(content) : content.kind === 'html' ? [readPageTitle(content.text)] : []
  const isEmpty = content.kind === 'text' && content.text.trim() === ''
  const kind =
    content.kind === 'html' ? 'an HTML page' : isEmpty ? 'an empty response' : 'a response that is not JSON'
  return message === '' ? kind : `${kind}: ${message}`
}

const maxIssues = 3

/** The keys below these fields are data of the service and may be codes. */
const keyedByData = new Set<PropertyKey>(['products', 'redeem', 'total'])

/** Omits the values and the service's own keys because they may be codes. */
const describeIssues = (issues: readonly Issue[], document: unknown): string => {
  const found = issues.map(({ path, message }) => {
    const { given, allowed } = createViolation(document, path, message)
    const shown = path.map((step, index) => (keyedByData.has(path[index - 1] ?? '') ? '…' : step))
    const place = path.length === 0 ? 'the document' : formatPath(shown)
    return `${place} is ${given === undefined ? 'missing' : 'wrong'} (allowed: ${allowed})`
  })
  const all = [...new Set(found)]
  const more = all.length - maxIssues
  return [...all.slice(0, maxIssues), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const findCreated = (content: Content): Pick<UnknownOutcome, 'orderId' | 'expiresAt'> => {
  // The content may be invalid JSON, or JSON with a different content type.
  if (content.kind !== 'json') return { orderId: salvageId(content.text) }
  const { id, expiresAt } =
    (content.document as { data?: { id?: unknown; expiresAt?: unknown } | null } | null)?.data ?? {}
  if (typeof id !== 'string' || !isOrderId(id)) return {}
  return {
    orderId: id,
    expiresAt: Number.isSafeInteger(expiresAt) && Number(expiresAt) >= 0 ? Number(expiresAt) : undefined,
  }
}

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

/** Describes the first difference. */
const findInvoiceMismatch = (invoice: Invoice, request: OrderRequest): string | undefined => {
  const { wallet } = invoice
  const difference =
    // A limit such as --max-total applies to one currency only.
    (wallet === request.wallet ? undefined : `in ${shorten(wallet)}, not in ${request.wallet}`) ??
    findOtherProducts(invoice, request) ??
    findOtherAmounts(invoice, request) ??
    findOtherTotal(invoice)
  return difference && `the response is an invoice ${difference}`
}

const findOtherProducts = ({ records }: Invoice, { productList }: OrderRequest): string | undefined => {
  const ordered = new Set(productList.map(({ sku }) => sku))
  const found = new Set(records.map(({ sku }) => sku))
  const missing = ordered.difference(found)
  const added = found.difference(ordered)
  const differences = [
    missing.size > 0 ? `without ${listSkus(missing)}` : '',
    added.size > 0 ? `with ${listSkus(added)}, not ordered` : '',
  ].filter(Boolean)
  if (differences.length > 0) return differences.join(' and ')
  return records.length === found.size ? undefined : 'with two records for one SKU'
}

const maxListed = 5

const listSkus = (skus: ReadonlySet<string>): string => {
  const listed = [...skus].slice(0, maxListed).map(shorten)
  const more = skus.size - listed.length
  return [...listed, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Compares the quantity and quote of main products. An invoice may omit them. */
const findOtherAmounts = ({ records }: Invoice, { productList }: OrderRequest): string | undefined => {
  const lines = new Map(productList.map((line) => [line.sku, line]))
  for (const { sku, items } of records) {
    const line = lines.get(sku)
    for (const { type, metaData: { quantity, quote } = {} } of items) {
      if (line === undefined || type !== 'main-product') continue
      if (quantity !== undefined && quantity !== line.quantity)
        return `for ${quantity} × ${sku}, not for ${line.quantity}`
      if (quote !== undefined && !quote.eq(line.quote))
        return `for ${sku} at ${formatDecimal(quote)}, not at ${formatDecimal(line.quote)}`
    }
  }
  return undefined
}

/** A record may also have totals in other currencies. */
const findOtherTotal = ({ total, wallet, records }: Invoice): string | undefined => {
  const added = sum(records.map((record) => record.total[wallet] ?? zero))
  if (roundTo(wallet, added).eq(roundTo(wallet, total))) return undefined
  return `of ${formatAmount(total, wallet)}, but its records add up to ${formatAmount(added, wallet)}`
}

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
