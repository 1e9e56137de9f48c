// Determines the outcome of a response by order-service.md 7. If there is any doubt, the outcome is unknown.
import { isOrderId } from '../contract/order/order-words.ts'
import {
  isDocumented,
  isRefusedBeforeActing,
  type Operation,
  type RefusalKind,
  recogniseRefusal,
  refusals,
} from '../contract/refusals.ts'
import { type Issue, readAs, type Shape } from '../contract/shape.ts'
import { createViolation, formatPath } from '../contract/violations.ts'
import { findMessages, maskCodes, readPageTitle } from './error-text.ts'
import { type Content, isSuccess, type ParsedResponse, salvageId } from './parsed-response.ts'

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

export type Expectation<Data> = {
  readonly operation: Operation
  /** Texts of the request, which are not masked if a response repeats them. */
  readonly sent: readonly string[]
  readonly shape: Shape<{ message: string; data: Data }>
  /** Describes how the data differs from the request. */
  readonly findMismatch: (data: Data) => string | undefined
}

/** The original message determines the outcome, and only then its codes are masked. */
export const judgeResponse = <Data>(expected: Expectation<Data>, response: ParsedResponse): Outcome<Data> => {
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
  if (status < 400) {
    if (redirect === undefined) return createUnknown(response, 'a response that is not documented')
    return createUnknown(response, `redirected ${redirect}; orderctl does not follow redirects`)
  }
  // order-service.md 5 documents no message for 403. HTTP defines 401 for missing credentials.
  if (status === 401 || status === 403)
    return { kind: 'refused', status, message: findMessages(content)[0] ?? '', refusal: 'credentials' }
  // A proxy may also respond with these statuses, often with an HTML page.
  const isByStatus = operation !== 'get' && isRefusedBeforeActing(status)
  if (!isByStatus && (content.kind === 'html' || content.kind === 'unreadable'))
    return createUnknown(response, describeContent(response))

  const messages = findMessages(content)
  const kinds = messages.map((message) => recogniseRefusal(operation, status, message))
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
