// What an outcome means to whoever asked for it: a Failure with its exit code and the next thing to do.
import type { NotSentOutcome, RefusedOutcome, UnknownOutcome } from '../client/outcome.ts'
import { findAdvice, isVerbatim } from '../contract/refusals.ts'
import { Failure } from '../errors.ts'
import { quoteShellWord } from '../text/shell-word.ts'

type Bad = RefusedOutcome | NotSentOutcome | UnknownOutcome

type Known = { readonly orderId?: string }

const withOrder = (orderId: string | undefined) => (orderId === undefined ? {} : { orderId })

/** For calls that change nothing. */
export const readFailure = (outcome: Bad, { orderId }: Known = {}): Failure => {
  switch (outcome.kind) {
    case 'refused':
      return refusedFailure(outcome, orderId)
    case 'not-sent':
      return unsentFailure(outcome, orderId)
    case 'unknown':
      return new Failure('unavailable', `the service gave no usable answer: ${outcome.reason}`, {
        fix: 'Nothing has changed; run it again.',
        retryable: true,
        ...withOrder(orderId),
        ...(outcome.status === undefined ? {} : { status: outcome.status }),
      })
  }
}

export const refusedFailure = (outcome: RefusedOutcome, orderId?: string): Failure => {
  const { refusal, status, message } = outcome
  const said = message === '' ? `status ${status}` : message
  const details = { status, ...adviceOn(outcome), ...withOrder(orderId) }
  if (refusal === 'credentials')
    return new Failure('credentials', `the service refused the credentials: ${said}`, details)
  if (refusal === 'expired') return new Failure('expired', `the order has expired: ${said}`, details)
  const order = orderId === undefined ? '' : `order ${orderId}: `
  return new Failure('refused', `${order}the service refused: ${said}`, details)
}

/** What is not found may be the path itself: a proxy or another service answers so, too. */
const adviceOn = ({ refusal, status, message }: RefusedOutcome) =>
  refusal === 'product-not-found' && !isVerbatim(refusal, message)
    ? {
        fix: 'These are not the documented words: check the base address first, then the SKUs.',
        retryable: false,
      }
    : findAdvice(refusal, status)

export const unsentFailure = ({ reason }: NotSentOutcome, orderId?: string): Failure =>
  new Failure('unavailable', `the service could not be reached: ${reason}`, {
    fix: 'Nothing has changed; run it again.',
    retryable: true,
    ...withOrder(orderId),
  })

/** A read that fails after the money is spent: that is no reason to order again. */
export const spentFailure = (outcome: Bad, orderId: string): Failure => {
  const { message, details } = readFailure(outcome, { orderId })
  return new Failure('unknown', `the order is confirmed, but could not be read: ${message}`, {
    orderId,
    fix: `Do not order again. Look at it: orderctl get ${quoteShellWord(orderId)}`,
    ...(details.status === undefined ? {} : { status: details.status }),
  })
}
