// Judges an answer by section 7: what has happened. If there is any doubt, the outcome is unknown.
import {
  type Operation,
  type RefusalKind,
  recogniseRefusal,
  refusals,
  refusesBeforeActing,
} from '../contract/refusals.ts'
import { type Issue, readAs, type Shape } from '../contract/shape.ts'
import { pathText, violationAt } from '../contract/violations.ts'
import { type Answer, type Content, isSuccess } from './answer.ts'
import { findMessages, maskCodes, readPageTitle } from './error-text.ts'
import { salvageId } from './salvage.ts'

type WithServerTime = {
  /** The service's time at its answer, in milliseconds. `expiresAt` is judged by it. */
  readonly serverTime?: number
}

/** A complete, valid answer that matches the request. */
type Done<Data> = WithServerTime & { readonly kind: 'done'; readonly data: Data; readonly message: string }

/** A refusal. Without `refusal` its status says so, and its words are not documented. */
export type Refused = WithServerTime & {
  readonly kind: 'refused'
  readonly status: number
  /** The service's own words. Empty if it gave none. */
  readonly message: string
  readonly refusal?: RefusalKind
}

/** Provably no byte left. */
export type Unsent = WithServerTime & { readonly kind: 'not-sent'; readonly reason: string }

/** It may have happened. For `get`: the order could not be read. */
export type Unknown = WithServerTime & {
  readonly kind: 'unknown'
  readonly reason: string
  readonly status?: number
  /** The order that an answer to create names, although the rest of the answer is not as expected. */
  readonly orderId?: string
}

export type Outcome<Data> = Done<Data> | Refused | Unsent | Unknown

export type Expected<Data> = {
  readonly operation: Operation
  /** Texts of the request. They are not masked if an answer repeats them. */
  readonly sent: readonly string[]
  readonly shape: Shape<{ message: string; data: Data }>
  /** Says how the data differs from what was asked for. */
  readonly findMismatch: (data: Data) => string | undefined
}

export const judgeAnswer = <Data>(expected: Expected<Data>, answer: Answer): Outcome<Data> => {
  const outcome = isSuccess(answer.status)
    ? judgeSuccess(expected, answer)
    : judgeError(expected.operation, answer)
  const time = answer.serverTime === undefined ? {} : { serverTime: answer.serverTime }
  return { ...maskOutcome(outcome, expected.sent), ...time }
}

/** The service's words are judged as they came, and shown without codes. */
const maskOutcome = <Data>(outcome: Outcome<Data>, sent: readonly string[]): Outcome<Data> => {
  switch (outcome.kind) {
    case 'refused':
      return { ...outcome, message: maskCodes(outcome.message, sent) }
    case 'unknown':
      return { ...outcome, reason: maskCodes(outcome.reason, sent) }
    default:
      return outcome
  }
}

const unknown = ({ status }: Answer, reason: string): Unknown => ({
  kind: 'unknown',
  reason: `HTTP ${status}: ${reason}`,
  status,
})

const judgeSuccess = <Data>(expected: Expected<Data>, answer: Answer): Outcome<Data> => {
  const { operation, shape, findMismatch } = expected
  const { content } = answer
  const orderId = operation === 'create' ? findOrderId(content) : undefined
  const doubt = (reason: string): Unknown => ({
    ...unknown(answer, reason),
    ...(orderId === undefined ? {} : { orderId }),
  })
  if (content.kind !== 'json') return doubt(describeContent(answer))
  const { document } = content
  const read = readAs(shape, document)
  if (read.issues !== undefined)
    return doubt(`the answer is not as documented: ${describeIssues(read.issues, document)}`)
  const { data, message } = read.data
  const mismatch = findMismatch(data)
  return mismatch === undefined ? { kind: 'done', data, message } : doubt(mismatch)
}

const judgeError = (operation: Operation, answer: Answer): Refused | Unknown => {
  const { status, content, redirect } = answer
  if (status < 400) {
    if (redirect === undefined) return unknown(answer, 'an answer that is not documented')
    return unknown(answer, `redirected ${redirect}, which is not followed`)
  }
  // Section 5 shows no words for 403. HTTP defines 401 for the same.
  if (status === 401 || status === 403)
    return { kind: 'refused', status, message: findMessages(content)[0] ?? '', refusal: 'credentials' }
  // A proxy answers these statuses, too, and often with an HTML page.
  const isByStatus = operation !== 'get' && refusesBeforeActing(status)
  if (!isByStatus && (content.kind === 'html' || content.kind === 'unreadable'))
    return unknown(answer, describeContent(answer))

  const messages = findMessages(content)
  const kinds = messages.map((message) => recogniseRefusal(operation, status, message))
  // A status with one meaning needs no words.
  const refusal = kinds.find((kind) => kind !== undefined) ?? recogniseRefusal(operation, status, '')
  const message = messages[Math.max(0, kinds.indexOf(refusal))] ?? ''
  // 'Unexpected server error' does not say that nothing has happened: for 500, only the documented words count.
  const isRefusal =
    isByStatus ||
    (status < 500 ? isDocumented(operation, status) : refusal !== undefined && refusals[refusal].verbatim)
  if (!isRefusal) return unknown(answer, message === '' ? 'an answer that is not documented' : message)
  return { kind: 'refused', status, message, ...(refusal === undefined ? {} : { refusal }) }
}

const isDocumented = (operation: Operation, status: number): boolean =>
  Object.values(refusals).some(
    (refusal) => refusal.status === status && (refusal.operations as readonly string[]).includes(operation),
  )

const describeContent = ({ content, status }: Answer): string => {
  if (content.kind === 'unreadable') return content.reason
  // The text of a success may hold codes. The title of a page says whose page it is.
  const [said = ''] =
    status >= 400 ? findMessages(content) : content.kind === 'html' ? [readPageTitle(content.text)] : []
  const isEmpty = content.kind === 'text' && content.text.trim() === ''
  const what =
    content.kind === 'html' ? 'an HTML page' : isEmpty ? 'an empty answer' : 'an answer that is not JSON'
  return said === '' ? what : `${what}: ${said}`
}

const maxIssues = 3

/** The keys below these fields are chosen by the service, not by the document. */
const keyedByData = new Set<PropertyKey>(['products', 'redeem', 'total'])

/** The places, and what is allowed there. The values and the service's own keys are left out: they may be codes. */
const describeIssues = (issues: readonly Issue[], document: unknown): string => {
  const found = issues.map(({ path, message }) => {
    const { given, allowed } = violationAt(document, path, message)
    const shown = path.map((step, index) => (keyedByData.has(path[index - 1] ?? '') ? '…' : step))
    const place = path.length === 0 ? 'the document' : pathText(shown)
    return `${place} is ${given === undefined ? 'missing' : 'wrong'} (allowed: ${allowed})`
  })
  const all = [...new Set(found)]
  const more = all.length - maxIssues
  return [...all.slice(0, maxIssues), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const findOrderId = (content: Content): string | undefined => {
  // Invalid JSON, or JSON that is labelled as something else.
  if (content.kind !== 'json') return salvageId(content.text)
  const id = (content.document as { data?: { id?: unknown } | null } | null)?.data?.id
  return typeof id === 'string' && id.trim() !== '' ? id : undefined
}
