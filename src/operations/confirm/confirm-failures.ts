// The failures of confirm, and of orders that may be paid. Each names the next step.
import type { RefusedOutcome, UnknownOutcome } from '../../client/outcome.ts'
import { formatUtcTime } from '../../contract/timestamp.ts'
import { Failure } from '../../errors.ts'
import type { Call, Entry } from '../../journal/orders/entry.ts'
import { OpenCallFailure } from '../other-runs.ts'
import { estimateProofTime } from '../reconcile.ts'

export const createConfirmedFailure = (orderId: string, state: string): Failure =>
  new Failure('refused', `the order ${orderId} is already confirmed (${state})`, {
    orderId,
    already: true,
    fix: (suggest) => `Show it: ${suggest`get ${orderId}`}. To succeed in this case, use --idempotent.`,
  })

export const createOpenConfirmFailure = (call: Call, orderId: string): Failure =>
  new OpenCallFailure(
    call,
    'unknown',
    `the outcome of a confirm sent at ${formatUtcTime(call.startedAt)} is unknown; no second confirm was sent`,
    { orderId, fix: (suggest) => suggest`reconcile ${orderId}` },
  )

/** The service refused, or the order expired. That is no proof, so the reference stays reserved. */
export const createUnconfirmedFailure = (
  entry: Entry | undefined,
  outcome: RefusedOutcome | UnknownOutcome,
  { orderId, now }: { readonly orderId: string; readonly now: number },
): Failure => {
  const { status } = outcome
  const said = (outcome.kind === 'refused' ? outcome.message : outcome.reason) || `status ${status}`
  const isExpired = status === 419
  const isCredentials = status === 401 || status === 403
  const what = isExpired
    ? `the order ${orderId} has expired unconfirmed`
    : `the service refused to confirm the order ${orderId}: ${said.replace(/\.$/, '')}. It is not confirmed so far`
  const safeFrom = formatSafe(entry && estimateProofTime(entry, now, outcome.serverTime))
  return new Failure(isExpired ? 'expired' : isCredentials ? 'credentials' : 'refused', what, {
    orderId,
    status,
    refusal: outcome.kind === 'refused' ? outcome.refusal : undefined,
    safeFrom,
    fix: (suggest) => {
      const again = isExpired ? '' : `Confirm it again: ${suggest`confirm ${orderId}`}. `
      const when =
        safeFrom === undefined
          ? 'Before you order again'
          : `From ${safeFrom}, check whether ordering again is safe`
      return `${again}${when}: ${suggest`reconcile ${orderId}`}`
    },
  })
}

const formatSafe = (safeAt: number | undefined): string | undefined =>
  safeAt === undefined ? undefined : formatUtcTime(safeAt)

/** The order expired, but one of its confirms is unproven. */
export const createUnprovenExpiryFailure = (entry: Entry, provenAt: number | undefined): Failure => {
  const { orderId = '' } = entry
  const safeFrom = formatSafe(provenAt)
  const wait = safeFrom === undefined ? '' : `Wait until ${safeFrom}, then run: `
  return new Failure('expired', `the order ${orderId} has expired, but its confirm may have spent money`, {
    orderId,
    safeFrom,
    fix: (suggest) => `${wait}${suggest`reconcile ${orderId}`}`,
  })
}
