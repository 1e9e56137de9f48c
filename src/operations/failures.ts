// The failures of a call, of an order that a command reads or waits for, and of an order that is not created or confirmed.
// Each has a reason and suggests a command. Control flow reads the reason and the call or response that caused the failure;
// people read the text.

import type { NotSentOutcome, RefusedOutcome, UnknownOutcome } from '../client/api.ts'
import { findAdvice, isVerbatim, type Operation } from '../contract/refusals.ts'
import { formatSafeTime, formatUtcTime } from '../contract/time.ts'
import { Failure, type FailureReason, type Fix, failureReasons, joinAdvice, type Remedy } from '../errors.ts'
import type { Call, Entry } from '../journal/orders/entries.ts'
import { estimateProofTime, isHolding, isUnprovenOrder, type Times } from '../journal/orders/standings.ts'
import type { Suggest } from '../text/suggest.ts'
import { writeProofAdvice } from '../text/suggest.ts'
import { type Money, type Sight, waitMs } from './view.ts'

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
        advice: 'Run the command again.',
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

const findRefusalReason = ({ refusal }: RefusedOutcome): FailureReason =>
  refusal !== undefined && refusal in failureReasons ? (refusal as FailureReason) : 'refused'

/** An undocumented 404 may come from a proxy or from a different service at a wrong base address. */
const findRefusalAdvice = ({ refusal, status, message }: RefusedOutcome) =>
  refusal === 'product-not-found' && !isVerbatim(refusal, message)
    ? {
        advice: 'This is not a documented message. Check the base address first, then the SKUs.',
        retryable: false,
      }
    : findAdvice(refusal, status)

/** `lead`: the first sentence of the advice, for a call that writes. */
export const createUnsentFailure = (
  { reason, advice }: NotSentOutcome,
  { orderId, origin, fix }: ReadContext,
  lead?: string,
): Failure => {
  const place = origin === undefined ? '' : ` at ${origin}`
  const next = fix === undefined ? ', then run the command again' : ''
  return new Failure('unreachable', `the service could not be reached${place}: ${reason}`, {
    advice: joinAdvice(lead, advice ?? `Check the network and the base URL${next}.`),
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
  if (view.exit === 'timed-out')
    return new Failure(
      view.exit,
      `timed out; no change for ${waitMs.long / 60_000} min; still waiting for: ${orderId}`,
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
    return new Failure(view.exit, `the order ${orderId} ${describeStandstill(view)}`, {
      advice: view.money === 'unspent' ? undefined : 'Do not order again.',
      orderId,
      fix: (suggest) => suggest`get ${orderId}`,
    })
  const problem = `a confirm of the order ${orderId} may have spent money`
  return new Failure(view.exit, problem, describeProof(orderId, view.provenAt))
}

const describeStandstill = ({ money, progress }: Sight['view']): string =>
  money === 'unspent' && progress !== 'undocumented'
    ? 'is void in this journal, so it will not be confirmed'
    : 'is in an undocumented state, which does not change'

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

type Wanted = {
  /** The order that was not confirmed. */
  readonly wanted?: string | undefined
  readonly unproven?: Call | undefined
  readonly provenAt?: number | undefined
}

export const createDuplicateFailure = (entry: Entry, { wanted, unproven, provenAt }: Wanted): Failure => {
  const { reference = '', orderId } = entry
  const other = orderId === undefined ? 'an order without an id' : `the order ${orderId}`
  const state = unproven === undefined ? entry.state : `${entry.state}, its confirm may have spent money`
  const outcome = wanted === undefined ? 'nothing was sent' : `the order ${wanted} was not confirmed`
  const safeFrom = formatSafeTime(provenAt)
  const problem = `the reference ${reference} is already used by ${other} (${state}); ${outcome}`
  return new Failure(isVoidOfBatch(entry) ? 'reference-of-batch' : 'reference-used', problem, {
    field: 'reference',
    orderId: wanted ?? orderId,
    safeFrom,
    fix: (suggest) => {
      if (isVoidOfBatch(entry)) return suggest`batch list`
      if (orderId === undefined) return suggest`list`
      return unproven === undefined ? suggest`get ${orderId}` : suggest`reconcile ${orderId}`
    },
    advice: writeWayOut(entry, { wanted, unproven, safeFrom }),
  })
}

/** A batch keeps the references of its void orders. */
const isVoidOfBatch = (entry: Entry): boolean => entry.batch !== undefined && !isHolding(entry)

/** A different run may still get the response to its create. */
export const createOpenCreateFailure = (call: Call, { reference = '' }: Entry): OrderFailure =>
  new OrderFailure(
    { openCall: call },
    'in-progress',
    `another process is creating an order with the reference ${reference} now; nothing was sent`,
    { field: 'reference', advice: 'Run the command again in a minute.', retryable: true },
  )

const writeWayOut = (
  entry: Entry,
  { wanted, unproven, safeFrom }: Wanted & { readonly safeFrom: string | undefined },
) => {
  const { orderId, batch, result } = entry
  if (safeFrom !== undefined)
    return `Order again only after reconcile has the proof, at the earliest at ${safeFrom}.`
  if (unproven !== undefined) return 'Do not order again until reconcile says whether it spent money.'
  if (wanted !== undefined) return 'To pay for both orders, use confirm with --allow-duplicate.'
  if (isVoidOfBatch(entry))
    return 'It belongs to a batch. Continue the batch, or choose a different reference. --allow-duplicate buys an order outside the batch.'
  const mayOrderAgain = batch === undefined && (result === 'failed' || result === 'rejected')
  const charged = `${entry.charged ?? entry.total ?? ''} ${entry.wallet ?? ''}`.trim()
  return mayOrderAgain && orderId !== undefined
    ? (suggest: Suggest) =>
        `The order already charged ${charged}. Order its products again only after the refund: ${suggest`create ${{ again: orderId }}`}`
    : 'Use --idempotent to continue with that order, or --allow-duplicate to order again.'
}

/** The batch no longer allows this order. */
export const createClaimFailure = (reason: keyof typeof claimProblems, facts: string, orderId?: string) =>
  new Failure(`batch-${reason}`, `${claimProblems[reason]}; ${facts}`, {
    orderId,
    fix: (suggest) => suggest`batch list`,
  })

const claimProblems = {
  cancelled: 'the batch of this order is cancelled',
  changed: 'the batch buys the products of this order with a different order',
}

/** A different order of the slot is confirmed, or may still be. `wanted` is the order that was not confirmed. */
export const createSlotTakenFailure = (by: Entry | undefined, wanted?: string): Failure => {
  const { orderId, state = 'creating' } = by ?? {}
  const other = orderId === undefined ? 'another order' : `the order ${orderId}`
  const outcome = wanted === undefined ? 'nothing was sent' : `the order ${wanted} was not confirmed`
  return new Failure('slot-taken', `the batch buys the same cards with ${other} (${state}); ${outcome}`, {
    orderId: wanted,
    fix: (suggest) => (orderId === undefined ? suggest`list` : suggest`get ${orderId}`),
  })
}

export const createConfirmedFailure = (orderId: string, state: string): Failure =>
  new Failure('already-confirmed', `the order ${orderId} is already confirmed (${state})`, {
    orderId,
    fix: (suggest) => suggest`get ${orderId}`,
    advice: 'To succeed in this case, use --idempotent.',
  })

export const createOpenConfirmFailure = (call: Call, orderId: string, provenAt?: number): Failure =>
  new OrderFailure(
    { openCall: call },
    'unproven',
    `the outcome of a confirm sent at ${formatUtcTime(call.startedAt)} is unknown; no second confirm was sent`,
    { orderId, safeFrom: formatSafeTime(provenAt), fix: (suggest) => suggest`reconcile ${orderId}` },
  )

/** Too long after its intent, a confirm is not sent. */
export const createLateFailure = (orderId: string): Failure =>
  new Failure('unavailable', `the confirm waited for over a minute; the order ${orderId} was not confirmed`, {
    orderId,
    advice: 'Run the command again.',
    retryable: true,
  })

/** The service refused, or the order expired. That is no proof, so the reference stays reserved. */
export const createUnconfirmedFailure = (
  entry: Entry | undefined,
  outcome: RefusedOutcome | UnknownOutcome,
  { orderId, ...times }: Times & { readonly orderId: string },
): Failure => {
  const { status } = outcome
  const create = (...facts: ConstructorParameters<typeof Failure>): Failure =>
    outcome.kind === 'refused'
      ? new OrderFailure({ refused: { operation: 'confirm', outcome } }, ...facts)
      : new Failure(...facts)
  const said = (outcome.kind === 'refused' ? outcome.message : outcome.reason) || `status ${status}`
  const reason = outcome.kind === 'refused' ? findRefusalReason(outcome) : 'refused'
  const isExpired = status === 419
  const isCredentials = status === 401 || status === 403
  const what = isExpired
    ? `the service refused to confirm the order ${orderId}, because it has expired`
    : `the service refused to confirm the order ${orderId}: ${said.replace(/\.$/, '')}. It is not confirmed so far`
  return create(isExpired ? 'expired' : isCredentials ? 'key-rejected' : reason, what, {
    ...describeProof(orderId, entry && estimateProofTime(entry, times)),
    status,
    fix: (suggest) => (isExpired || entry?.batch !== undefined ? undefined : suggest`confirm ${orderId}`),
  })
}
