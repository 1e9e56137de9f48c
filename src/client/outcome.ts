// Section 7, read backwards: what an answer says has happened. Whatever leaves a doubt is unknown.
import {
  type Operation,
  type RefusalKind,
  recogniseRefusal,
  refusals,
  refusesBeforeActing,
} from '../contract/refusals.ts'
import { type Issue, readAs, type Shape } from '../contract/shape.ts'
import { pathText, violationAt } from '../contract/violations.ts'
import type { Answer, Content } from './answer.ts'
import { messagesIn, pageTitle, withoutCodes } from './error-text.ts'
import { salvagedId } from './salvage.ts'

type Heard = {
  /** The service's time at its answer, in milliseconds, to judge `expiresAt` by. */
  readonly serverTime?: number
}

/** Complete, valid, and the answer to what was asked. */
type Done<Data> = Heard & { readonly kind: 'done'; readonly data: Data; readonly message: string }

/** A refusal. Without `refusal` its status says so, and its words are not documented. */
export type Refused = Heard & {
  readonly kind: 'refused'
  readonly status: number
  /** The service's own words; empty where it gave none. */
  readonly message: string
  readonly refusal?: RefusalKind
}

/** Provably no byte left. */
export type Unsent = Heard & { readonly kind: 'not-sent'; readonly reason: string }

/** It may have happened; of `get`: it could not be read. */
export type Unknown = Heard & {
  readonly kind: 'unknown'
  readonly reason: string
  readonly status?: number
  /** Named by an answer to create that could not be relied on otherwise. */
  readonly orderId?: string
}

export type Outcome<Data> = Done<Data> | Refused | Unsent | Unknown

export type Expected<Data> = {
  readonly operation: Operation
  /** Texts of the request: that an answer repeats them gives nothing away. */
  readonly sent: readonly string[]
  readonly shape: Shape<{ message: string; data: Data }>
  /** What in the data is not what was asked for. */
  readonly mismatch: (data: Data) => string | undefined
}

export const outcomeOf = <Data>(expected: Expected<Data>, answer: Answer): Outcome<Data> => {
  const heard = answer.serverTime === undefined ? {} : { serverTime: answer.serverTime }
  const isSuccess = answer.status >= 200 && answer.status < 300
  const outcome = isSuccess ? successOf(expected, answer) : refusalOf(expected.operation, answer)
  return { ...shown(outcome, expected.sent), ...heard }
}

/** What the service says is judged as it came, and shown without codes. */
const shown = <Data>(outcome: Outcome<Data>, sent: readonly string[]): Outcome<Data> => {
  switch (outcome.kind) {
    case 'refused':
      return { ...outcome, message: withoutCodes(outcome.message, sent) }
    case 'unknown':
      return { ...outcome, reason: withoutCodes(outcome.reason, sent) }
    default:
      return outcome
  }
}

const unknown = ({ status }: Answer, reason: string): Unknown => ({
  kind: 'unknown',
  reason: `HTTP ${status}: ${reason}`,
  status,
})

const successOf = <Data>(expected: Expected<Data>, answer: Answer): Outcome<Data> => {
  const { operation, shape, mismatch } = expected
  const { content } = answer
  const orderId = operation === 'create' ? idIn(content) : undefined
  const doubt = (reason: string): Unknown => ({
    ...unknown(answer, reason),
    ...(orderId === undefined ? {} : { orderId }),
  })
  if (content.kind !== 'json') return doubt(otherThanJson(answer))
  const { document } = content
  const read = readAs(shape, document)
  if (read.issues !== undefined)
    return doubt(`the answer is not as documented: ${breaches(read.issues, document)}`)
  const { data, message } = read.data
  const wrong = mismatch(data)
  return wrong === undefined ? { kind: 'done', data, message } : doubt(wrong)
}

const refusalOf = (operation: Operation, answer: Answer): Refused | Unknown => {
  const { status, content, redirect } = answer
  if (status < 400) {
    if (redirect === undefined) return unknown(answer, 'an answer that is not documented')
    return unknown(answer, `redirected ${redirect}, which is not followed`)
  }
  // Section 5 shows no words for it. 401 says by its own definition what 403 says here.
  if (status === 401 || status === 403)
    return { kind: 'refused', status, message: messagesIn(content)[0] ?? '', refusal: 'credentials' }
  // A proxy answers these statuses, too, and often with a page. A `get` that fails says nothing about its order.
  const isByStatus = operation !== 'get' && refusesBeforeActing(status)
  if (!isByStatus && (content.kind === 'html' || content.kind === 'unreadable'))
    return unknown(answer, otherThanJson(answer))

  const messages = messagesIn(content)
  const kinds = messages.map((message) => recogniseRefusal(operation, status, message))
  // Words or none: a status that stands for one thing is that thing.
  const refusal = kinds.find((kind) => kind !== undefined) ?? recogniseRefusal(operation, status, '')
  const message = messages[Math.max(0, kinds.indexOf(refusal))] ?? ''
  // 'Unexpected server error' does not say that nothing has happened: of 500 only the words shown count.
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

const otherThanJson = ({ content, status }: Answer): string => {
  if (content.kind === 'unreadable') return content.reason
  // The text of a success may hold codes; the title of a page says whose it is.
  const [said = ''] =
    status >= 400 ? messagesIn(content) : content.kind === 'html' ? [pageTitle(content.text)] : []
  const isEmpty = content.kind === 'text' && content.text.trim() === ''
  const what =
    content.kind === 'html' ? 'an HTML page' : isEmpty ? 'an empty answer' : 'an answer that is not JSON'
  return said === '' ? what : `${what}: ${said}`
}

const maxBreaches = 3

/** What stands below these is named by the service, not by the document. */
const keyedByData = new Set<PropertyKey>(['products', 'redeem', 'total'])

/** Where, and what is allowed; never what was given, nor its keys: they may be codes. */
const breaches = (issues: readonly Issue[], document: unknown): string => {
  const found = issues.map(({ path, message }) => {
    const { given, allowed } = violationAt(document, path, message)
    const shown = path.map((step, index) => (keyedByData.has(path[index - 1] ?? '') ? '…' : step))
    const place = path.length === 0 ? 'the document' : pathText(shown)
    return `${place} is ${given === undefined ? 'missing' : 'wrong'} (allowed: ${allowed})`
  })
  const all = [...new Set(found)]
  const more = all.length - maxBreaches
  return [...all.slice(0, maxBreaches), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const idIn = (content: Content): string | undefined => {
  if (content.kind !== 'json') {
    // Called a page, it may be the answer all the same; and a page of its own may have ids of its own.
    const mayBeIt = content.kind === 'unreadable' || /^\s*\{/.test(content.text)
    return mayBeIt ? salvagedId(content.text) : undefined
  }
  const id = (content.document as { data?: { id?: unknown } | null } | null)?.data?.id
  return typeof id === 'string' && id.trim() !== '' ? id : undefined
}
