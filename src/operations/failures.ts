// The failures of a call, and of an order that a command reads or waits for. Each has a reason and suggests a command.
// Control flow reads the reason and the call or response that caused the failure; people read the text.

import type { NotSentOutcome, RefusedOutcome, UnknownOutcome } from '../client/api.ts'
import { findAdvice, isVerbatim, type Operation } from '../contract/refusals.ts'
import { formatSafeTime } from '../contract/time.ts'
import { Failure, type FailureReason, type Fix, failureReasons, joinAdvice, type Remedy } from '../errors.ts'
import type { Call, Entry } from '../journal/orders/entries.ts'
import { isHolding, isUnprovenOrder } from '../journal/orders/standings.ts'
import { type Suggest, writeProofAdvice } from '../text/suggest.ts'
import type { Sight } from './view.ts'
import { type Money, waitMs } from './view.ts'

type RefusedCall = { readonly operation: Operation; readonly outcome: RefusedOutcome }

type Cause = {
  /** A different run may still record its outcome. */
  readonly openCall?: Call
  readonly refused?: RefusedCall
}

export class OrderFailure extends Failure {
  readonly from: Cause

  constructor(from: Cause, ...facts: ConstructorParameters<typeof Failure>) {
    super(...facts)
    this.from = from
  }
}

/** Undefined for a defect. */
export const findReason = (error: unknown): FailureReason | undefined =>
  error instanceof Failure ? error.reason : undefined

/** Empty for every other error. */
export const findCause = (error: unknown): Cause => (error instanceof OrderFailure ? error.from : {})

export const findRefused = (error: unknown, wanted: Operation): RefusedOutcome | undefined => {
  const { refused } = findCause(error)
  return refused?.operation === wanted ? refused.outcome : undefined
}

export const rewrite = (failure: Failure, message: string, details = failure.details): Failure =>
  failure instanceof OrderFailure
    ? new OrderFailure(failure.from, failure.reason, message, details)
    : new Failure(failure.reason, message, details)

type Unsuccessful = RefusedOutcome | NotSentOutcome | UnknownOutcome

/** `origin` is the address of the service. `fix`: if it is not the same command again. */
type ReadContext = { readonly orderId?: string; readonly origin?: string; readonly fix?: Fix | undefined }

/** For calls that only read. */
export const createReadFailure = (outcome: Unsuccessful, known: ReadContext = {}): Failure => {
  const { orderId } = known
  switch (outcome.kind) {
    case 'refused':
      return createRefusedFailure(outcome, 'get', orderId)
    case 'not-sent':
      return createUnsentFailure(outcome, known)
    case 'unknown':
      return new Failure('unavailable', `the service gave no usable response: ${outcome.reason}`, {
        advice: 'Nothing has changed. Run the command again.',
        retryable: true,
        orderId,
        quotes: [outcome.reason],
        status: outcome.status,
      })
  }
}

export const createRefusedFailure = (
  outcome: RefusedOutcome,
  operation: Operation,
  orderId?: string,
): OrderFailure => {
  const { refusal, status, message } = outcome
  const from = { refused: { operation, outcome } }
  const said = message === '' ? `status ${status}` : message
  const details = { status, ...findRefusalAdvice(outcome), orderId, quotes: [message] }
  if (refusal === 'credentials') {
    const remedy: Remedy = {
      fix: (suggest) => {
        const profile = suggest.profileName()
        return profile && suggest`profile set ${profile} --key-stdin`
      },
      advice: (suggest) => {
        const profile = suggest.profileName()
        // The account has no saved profile.
        if (profile === undefined) return details.advice ?? ''
        return `Replace the key, or check how it is sent: ${suggest`profile show ${profile}`}`
      },
    }
    return new OrderFailure(from, 'key-rejected', `the service rejected the credentials: ${said}`, {
      ...details,
      ...remedy,
    })
  }
  if (refusal === 'expired')
    return new OrderFailure(from, 'expired', `the order has expired: ${said}`, details)
  // Spec silent: a 404 of get is assumed to have confirm's message. A different one may come from a proxy, so it is quoted.
  if (refusal === 'order-not-found' && orderId !== undefined && isVerbatim('not-pending', message))
    return new OrderFailure(from, 'not-found', `order '${orderId}' not found`, {
      ...details,
      quotes: [],
    })
  const order = orderId === undefined ? '' : `order ${orderId}: `
  return new OrderFailure(from, findRefusalReason(outcome), `${order}the service refused: ${said}`, details)
}

export const findRefusalReason = ({ refusal }: RefusedOutcome): FailureReason =>
  refusal !== undefined && refusal in failureReasons ? (refusal as FailureReason) : 'refused'

/** An undocumented 404 may come from a proxy or from a different service at a wrong base address. */
const findRefusalAdvice = ({ refusal, status, message }: RefusedOutcome) =>
  refusal === 'product-not-found' && !isVerbatim(refusal, message)
    ? {
        advice: 'This is not a documented message. Check the base address first, then the SKUs.',
        retryable: false,
      }
    : findAdvice(refusal, status)

export const createUnsentFailure = (
  { reason, advice }: NotSentOutcome,
  { orderId, origin, fix }: ReadContext,
): Failure => {
  const place = origin === undefined ? '' : ` at ${origin}`
  return new Failure('unreachable', `the service could not be reached${place}: ${reason}`, {
    advice: `Nothing has changed. ${advice ?? `Check the network and the base URL${fix === undefined ? ', then run the command again' : ''}.`}`,
    fix,
    retryable: advice === undefined,
    orderId,
    // A certificate may contain any name.
    quotes: [reason],
  })
}

/**
 * For a response that shows a different order under the id. Omits its reference, because a service may repeat a code in
 * it.
 */
export const createStrangerFailure = ({
  orderId = '',
  reference = '',
  standing,
}: Pick<Entry, 'orderId' | 'reference' | 'standing'>): Failure => {
  const mayBePaid = standing !== 'pending' && isHolding({ standing })
  const problem = `the service shows a different order under the id ${orderId}: its reference is not ${reference}`
  return new Failure(mayBePaid ? 'unknown' : 'stranger', problem, { orderId })
}

const moneyAdvice: Readonly<Record<Money, string>> = {
  spent: 'According to the journal, the order is paid. Do not order again.',
  maybe: 'According to the journal, the order may be paid. Do not order again.',
  'not-confirmed-so-far':
    'According to the journal, a confirm was refused, but the order may be paid. Do not order again.',
  unspent: 'According to the journal, nothing was spent for the order.',
}

/** Adds what the journal knows of an order that the service does not show. */
export const addMoney = (failure: Failure, { known, view: { money } }: Pick<Sight, 'known' | 'view'>) => {
  if (known === undefined) return failure
  const { details, message } = failure
  const { orderId = '' } = known.entry
  const reconcile = isUnprovenOrder(known.entry) && ((suggest: Suggest) => suggest`reconcile ${orderId}`)
  const fix = details.fix ?? (reconcile || undefined)
  const advice = joinAdvice(moneyAdvice[money], details.advice)
  return rewrite(failure, message, { ...details, fix, advice, money })
}

/** For a read that shows no order. The service may forget an order that is, or may be, paid. */
export const createUnreadFailure = (sight: Sight, orderId: string, origin?: string): Failure => {
  const { response, view } = sight
  if (response.kind === 'done') throw new Error('the response shows the order')
  const failure = createReadFailure(response, origin === undefined ? { orderId } : { orderId, origin })
  if (view.exit !== 'unknown') return addMoney(failure, sight)
  const known =
    view.money === 'spent' ? 'the order is confirmed' : 'a confirm of the order may have spent money'
  return new Failure('unknown', `${failure.message}, but ${known}`, {
    ...failure.details,
    money: view.money,
    fix: undefined,
    advice: view.money === 'spent' ? 'Do not order again.' : writeProofAdvice(undefined),
  })
}

/** Of a failure about a confirm that may have spent: from when it can be proven, and what to do. */
export const describeProof = (orderId: string, provenAt: number | undefined) => {
  const safeFrom = formatSafeTime(provenAt)
  return { orderId, safeFrom, advice: writeProofAdvice(safeFrom) }
}

/** For an order that is not final when the wait ends. */
export const createWaitFailure = ({ known, response, view }: Sight, orderId: string): Failure => {
  if (known !== undefined && view.reading === 'stranger') return createStrangerFailure(known.entry)
  if (response.kind !== 'done')
    return view.money === 'spent'
      ? createSpentFailure(response, orderId)
      : createUnreadFailure({ known, response, view }, orderId)
  if (view.wait === 'open')
    return new Failure(
      'timed-out',
      `timed out; no change for ${waitMs.long / 60_000} min, and not final yet: ${orderId}`,
      {
        orderId,
        fix: (suggest) => suggest`watch ${orderId}`,
        retryable: true,
      },
    )
  if (view.money === 'spent') {
    const problem =
      view.reading === 'behind'
        ? `the order ${orderId} is confirmed, but the service still shows an older state`
        : `the order ${orderId} is paid, but its state is undocumented and does not change`
    return new Failure('unknown', problem, {
      orderId,
      fix: (suggest) => suggest`watch ${orderId}`,
      advice: 'Do not order again.',
    })
  }
  if (known === undefined || !isUnprovenOrder(known.entry))
    return new Failure(view.exit, `the order ${orderId} is in an undocumented state, which does not change`, {
      orderId,
      fix: (suggest) => suggest`get ${orderId}`,
    })
  const problem = `a confirm of the order ${orderId} may have spent money`
  return new Failure(view.exit, problem, describeProof(orderId, view.provenAt))
}

/** For a read that fails after money was spent. */
export const createSpentFailure = (outcome: Unsuccessful, orderId: string): Failure => {
  const { message, details } = createReadFailure(outcome, { orderId })
  return new Failure('unreadable', `the order is confirmed, but could not be read: ${message}`, {
    orderId,
    fix: (suggest) => suggest`get ${orderId}`,
    advice: 'Do not order again.',
    status: details.status,
    quotes: details.quotes,
  })
}
