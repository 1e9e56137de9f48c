// Why an order is not created or confirmed: another order has its reference, its batch does not allow it, it is or may be
// confirmed already, or the service refused. Each failure suggests a command.

import type { RefusedOutcome, UnknownOutcome } from '../client/api.ts'
import { formatSafeTime, formatUtcTime } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import type { Call, Entry } from '../journal/orders/entries.ts'
import { estimateProofTime, isHolding, type Times } from '../journal/orders/standings.ts'
import type { Suggest } from '../text/suggest.ts'
import { describeProof, findRefusalReason, OrderFailure } from './failures.ts'

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
