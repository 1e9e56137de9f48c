// What confirming an order would spend, until when, and the limits that flags set.

import { formatDuration } from '../contract/duration.ts'
import { limits } from '../contract/limits.ts'
import {
  countableForm,
  type Decimal,
  formatAmount,
  formatDecimal,
  toMillionths,
  tooLarge,
} from '../contract/money/decimal.ts'
import type { CreatedOrder, Order } from '../contract/schemas.ts'
import { toMilliseconds } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import { findExceeded, noneCommitted } from '../journal/limits.ts'
import { createOverLimitFailure } from './limits.ts'

export type Guards = {
  readonly maxTotal?: Decimal | undefined
  readonly minValidityMs?: number | undefined
}

export type Offer = {
  readonly orderId: string
  readonly reference: string
  readonly total: Decimal
  readonly wallet: string
  readonly expiresAt: number
  /** The expiry is estimated, so only --min-validity uses it. */
  readonly isEstimate?: true
}

/** `expiresAt`: undefined without the service's time. */
export const offerOf = (
  { id, invoice, expiresAt: given }: CreatedOrder,
  reference: string,
  expiresAt: number | undefined,
): Offer => ({
  orderId: id,
  reference,
  total: invoice.total,
  wallet: invoice.wallet,
  ...(expiresAt === undefined ? { expiresAt: given, isEstimate: true } : { expiresAt }),
})

/** The response to `get` has no `expiresAt`. `expiresAt`: what is known from the journal. */
export const offerFrom = (
  { uid, reference, invoice, createdDate }: Order,
  expiresAt: number | undefined,
): Offer => ({
  orderId: uid,
  reference,
  total: invoice.total,
  wallet: invoice.wallet,
  ...(expiresAt === undefined
    ? { expiresAt: toMilliseconds(createdDate) + limits.validityMs, isEstimate: true }
    : { expiresAt }),
})

/** What the total counts as against limits. Throws if it is too large to count. */
export const countOffer = ({
  orderId,
  total,
  wallet,
}: Pick<Offer, 'orderId' | 'total' | 'wallet'>): bigint => {
  const counts = toMillionths(formatDecimal(total)) ?? tooLarge
  if (counts < tooLarge) return counts
  const problem = `the order ${orderId} costs ${formatAmount(total, wallet)}; orderctl only confirms totals ${countableForm}. It was not confirmed`
  throw new Failure('refused', problem, { orderId })
}

export const guard = (
  { orderId, total, wallet, expiresAt, isEstimate }: Omit<Offer, 'reference'>,
  { maxTotal, minValidityMs }: Guards,
  now: number,
): void => {
  const counts = countOffer({ orderId, total, wallet })
  if (maxTotal !== undefined) {
    const amount = formatDecimal(maxTotal)
    const use = { scope: 'command', currency: wallet, amount, spent: noneCommitted } as const
    if (findExceeded([use], counts)) throw createOverLimitFailure({ orderId, total }, use)
  }
  const left = expiresAt - now
  if (left <= 0 && isEstimate !== true) {
    throw new Failure('expired', `the order ${orderId} has expired; it was not confirmed`, {
      orderId,
      fix: (suggest) => suggest`create ${{ again: orderId }}`,
    })
  }
  if (minValidityMs === undefined || left >= minValidityMs) return
  const when = left <= 0 ? `expired ${formatDuration(left)} ago` : `expires in ${formatDuration(left)}`
  throw new Failure(
    left <= 0 ? 'expired' : 'expires-soon',
    `the order ${orderId} ${when}, sooner than --min-validity ${formatDuration(minValidityMs)}; it was not confirmed`,
    { field: '--min-validity', orderId, advice: 'Create it again, and confirm it earlier.' },
  )
}
