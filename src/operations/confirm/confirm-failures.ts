// The failures of confirm, and of orders that may be paid. Each includes the next step.
import type { RefusedOutcome, UnknownOutcome } from '../../client/api.ts'
import { formatUtcTime } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import type { Call, Entry } from '../../journal/orders/entries.ts'
import { estimateProofTime, type Times } from '../../journal/orders/expiry.ts'
import { writeProofAdvice } from '../../text/suggest.ts'
import { OrderFailure } from '../failures/order-failure.ts'
import { createStrangerFailure, findRefusalReason } from '../failures/outcome-failures.ts'

export const createConfirmedFailure = (orderId: string, state: string): Failure =>
  new Failure('already-confirmed', `the order ${orderId} is already confirmed (${state})`, {
    orderId,
    fix: (suggest) => suggest`get ${orderId}`,
    advice: 'To succeed in this case, use --idempotent.',
  })

/** The service shows a different order under its id. `isNew`: the response to its create belonged to that order. */
export const createMistakenFailure = (entry: Entry, isNew: boolean): Failure => {
  if (!isNew) return createStrangerFailure(entry)
  const { orderId = '', reference = '' } = entry
  const problem = `the response to create has the id ${orderId}, but the reference of that order is not ${reference}; nothing was confirmed`
  return new Failure('unavailable', problem, {
    orderId,
    advice: 'A proxy may have repeated the response to a different create. Run the command again.',
    retryable: true,
  })
}

export const createOpenConfirmFailure = (call: Call, orderId: string): Failure =>
  new OrderFailure(
    { openCall: call },
    'unproven',
    `the outcome of a confirm sent at ${formatUtcTime(call.startedAt)} is unknown; no second confirm was sent`,
    { orderId, fix: (suggest) => suggest`reconcile ${orderId}` },
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
  const safeFrom = formatSafe(entry && estimateProofTime(entry, times))
  return create(isExpired ? 'expired' : isCredentials ? 'key-rejected' : reason, what, {
    orderId,
    status,
    safeFrom,
    fix: (suggest) => (isExpired || entry?.batch !== undefined ? undefined : suggest`confirm ${orderId}`),
    advice: writeProofAdvice(safeFrom),
  })
}

const formatSafe = (safeAt: number | undefined): string | undefined =>
  safeAt === undefined ? undefined : formatUtcTime(safeAt)

/** The order expired, but one of its confirms is unproven. */
export const createUnprovenExpiryFailure = (entry: Entry, provenAt: number | undefined): Failure => {
  const { orderId = '', standing } = entry
  const safeFrom = formatSafe(provenAt)
  const [exit, known] =
    standing === 'doubtful'
      ? (['expired', 'a refusal of its confirm is no proof'] as const)
      : (['unproven', 'its confirm may have spent money'] as const)
  return new Failure(exit, `the order ${orderId} has expired, but ${known}`, {
    orderId,
    safeFrom,
    advice: writeProofAdvice(safeFrom),
  })
}
