// Turns outcomes of calls into failures, which have an exit code and a next step.
import type { NotSentOutcome, RefusedOutcome, UnknownOutcome } from '../client/outcome.ts'
import { findAdvice, isVerbatim } from '../contract/refusals.ts'
import { Failure, type Fix } from '../errors.ts'

type Unsuccessful = RefusedOutcome | NotSentOutcome | UnknownOutcome

/** `origin` is the address of the service. */
type Known = { readonly orderId?: string; readonly origin?: string }

/** For calls that only read. */
export const createReadFailure = (outcome: Unsuccessful, known: Known = {}): Failure => {
  const { orderId } = known
  switch (outcome.kind) {
    case 'refused':
      return createRefusedFailure(outcome, orderId)
    case 'not-sent':
      return createUnsentFailure(outcome, known)
    case 'unknown':
      return new Failure('unavailable', `the service gave no usable response: ${outcome.reason}`, {
        fix: 'Nothing has changed. Run the command again.',
        retryable: true,
        orderId,
        status: outcome.status,
      })
  }
}

export const createRefusedFailure = (outcome: RefusedOutcome, orderId?: string): Failure => {
  const { refusal, status, message } = outcome
  const said = message === '' ? `status ${status}` : message
  const details = { status, refusal, said, ...findFix(outcome), orderId }
  if (refusal === 'credentials') {
    const fix: Fix = (suggest) => {
      const profile = suggest.profileName()
      // The account has no saved profile.
      if (profile === undefined) return details.fix ?? ''
      return `Replace the key: ${suggest`profile set ${profile} --key-stdin`}. Check how it is sent: ${suggest`profile show ${profile}`}`
    }
    return new Failure('credentials', `the service rejected the credentials: ${said}`, { ...details, fix })
  }
  if (refusal === 'expired') return new Failure('expired', `the order has expired: ${said}`, details)
  const order = orderId === undefined ? '' : `order ${orderId}: `
  return new Failure('refused', `${order}the service refused: ${said}`, details)
}

/** An undocumented 404 may come from a proxy or another service at a wrong base address. */
const findFix = ({ refusal, status, message }: RefusedOutcome) =>
  refusal === 'product-not-found' && !isVerbatim(refusal, message)
    ? {
        fix: 'This is not a documented message. Check the base address first, then the SKUs.',
        retryable: false,
      }
    : findAdvice(refusal, status)

export const createUnsentFailure = ({ reason }: NotSentOutcome, { orderId, origin }: Known): Failure => {
  const place = origin === undefined ? '' : ` at ${origin}`
  return new Failure('unavailable', `the service could not be reached${place}: ${reason}`, {
    fix: 'Nothing has changed. Check the network and the base URL, then run the command again.',
    retryable: true,
    orderId,
  })
}

/** For a read that fails after money was spent. */
export const createSpentFailure = (outcome: Unsuccessful, orderId: string): Failure => {
  const { message, details } = createReadFailure(outcome, { orderId })
  return new Failure('unknown', `the order is confirmed, but could not be read: ${message}`, {
    orderId,
    fix: (suggest) => `Do not order again. Show the order: ${suggest`get ${orderId}`}`,
    status: details.status,
  })
}
