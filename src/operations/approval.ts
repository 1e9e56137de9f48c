// Decides whether an order or a batch needs and has an approval. Explains how to get one.
import {
  type Decimal,
  decimal,
  formatAmount,
  formatDecimal,
  roundUpToLimit,
  zero,
} from '../contract/money/decimal.ts'
import { formatUtcMinute } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import type { Approval, ApprovalRequest, ApprovalState } from '../journal/batches/approvals.ts'
import type { Batch } from '../journal/batches/batches.ts'
import type { NotApproved } from '../journal/orders/calls.ts'
import { formatProduct } from '../text/flags.ts'
import type { Suggest } from '../text/suggest.ts'
import type { Offer } from './offer.ts'
import { readRequestedProducts } from './offer.ts'

export const needsApproval = (amount: Decimal, limits: readonly string[]): boolean =>
  limits.some((limit) => amount.gt(decimal(limit)))

export const findCovering = (cap: Decimal, approvals: readonly Approval[]): Approval | undefined =>
  approvals.find(({ isValid, cap: approved }) => isValid && cap.lte(decimal(approved)))

/** Whether this process may run the batch with this cap. */
export const mayRun = (cap: Decimal, { ownLimits, approvals }: ApprovalState): boolean =>
  !needsApproval(cap, ownLimits) || findCovering(cap, approvals) !== undefined

/** The lowest limit decides: a higher one is exceeded, too, or does not apply. */
const findLowest = (limits: readonly string[]): Decimal =>
  limits.map((limit) => decimal(limit)).toSorted((one, other) => one.cmp(other))[0] ?? zero

/** The confirm was not sent. */
export const createUnapprovedOrderFailure = (
  { orderId, total, wallet }: Offer,
  { limits, known }: Pick<NotApproved, 'limits' | 'known'>,
): Failure => {
  if (known?.batch !== undefined) {
    const problem = `no valid approval of its batch covers the order ${orderId}; it was not confirmed`
    return new Failure('needs-approval', problem, {
      orderId,
      fix: (suggest) => suggest`batch list --waiting`,
    })
  }
  const products = (known && readRequestedProducts(known)) ?? []
  const product = products.map(({ sku, quote, quantity, productType: type }) =>
    formatProduct({ sku, quote: formatDecimal(quote), quantity: String(quantity), type }),
  )
  const problem = `the order ${orderId} of ${formatAmount(total, wallet)} needs an approval, because it is above ${formatAmount(findLowest(limits), wallet)}; it was not confirmed`
  return new Failure('needs-approval', problem, {
    orderId,
    fix: (suggest) =>
      product.length === 0
        ? undefined
        : suggest`batch run ${{ product, wallet, 'max-total': formatDecimal(roundUpToLimit(total)) }}`,
    advice: 'Only batches can be approved. Buy the same products as a batch.',
  })
}

type Prepared = {
  readonly orderId?: string
  readonly outcome: string
  readonly write: (suggest: Suggest) => string
}

/** A limit allows the database role to prepare orders and batches, but not to buy them. */
export const createPreparingFailure = (role: string, { orderId, outcome, write }: Prepared): Failure =>
  new Failure(
    'prepare-only',
    `the database role ${role} may prepare orders, but not confirm them; ${outcome}`,
    {
      ...{ role, orderId },
      advice: (suggest) => `A colleague with a different role can buy it: ${write(suggest)}`,
    },
  )

type ExpiredApproval = Pick<Approval, 'role' | 'until'>

/** 'the approval by ana expired at 2026-11-23 09:00 UTC'. `approval`: what to call it. */
export const describeExpiry = ({ role, until }: ExpiredApproval, approval = 'the approval'): string =>
  `${approval} by ${role} expired at ${formatUtcMinute(until)}`

type Unapproved = {
  readonly cap: Decimal
  readonly limits: readonly string[]
  readonly outcome: string
  /** The database roles that cannot approve it. */
  readonly barred?: readonly string[]
  readonly expired?: ExpiredApproval | undefined
  readonly smaller?: Pick<Approval, 'role' | 'cap'> | undefined
}

export const createUnapprovedBatchFailure = (
  batch: Pick<Batch, 'name' | 'id' | 'wallet'>,
  { cap, limits, outcome, barred = [], expired, smaller }: Unapproved,
): Failure => {
  const { name, wallet } = batch
  const reason =
    expired === undefined
      ? `because its cap of ${formatAmount(cap, wallet)} is above ${formatAmount(findLowest(limits), wallet)}`
      : `because ${describeExpiry(expired)}`
  const problem = `the batch ${name} needs ${expired === undefined ? 'an' : 'a new'} approval, ${reason}; ${outcome}`
  return new Failure('needs-approval', problem, {
    fix: (suggest) =>
      smaller && suggest`batch run ${name} ${{ 'max-total': formatDecimal(decimal(smaller.cap)) }}`,
    advice: (suggest) => {
      const approve = writeApprove(suggest, batch, cap)
      const approvers =
        barred.length === 0
          ? 'A different database role can approve it'
          : `A database role other than ${barred.join(' or ')} can approve it`
      return smaller === undefined
        ? `${approvers}: ${approve}. Then run it again: ${suggest`batch run ${name} ${{ 'max-total': formatDecimal(cap) }}`}`
        : `${smaller.role} approved up to ${formatAmount(decimal(smaller.cap), wallet)}. For the higher cap, a different database role must approve it: ${approve}`
    },
  })
}

/** Includes the plan's id, so that no one approves a different plan of the same name. */
export const writeApprove = (
  suggest: Suggest,
  { name, id }: Pick<Batch, 'name' | 'id'>,
  cap: Decimal,
): string => suggest`batch approve ${name} ${{ plan: id, 'max-total': formatDecimal(cap) }}`

export type ApprovalStatus = {
  /** Expired: an approval of this cap was valid, and no one has approved it again. */
  readonly state: 'waiting' | 'approved' | 'expired'
  /** The requested cap, or else the last run's cap. */
  readonly cap?: Decimal
  readonly request?: ApprovalRequest
  /** If the state is waiting: a valid approval of a smaller cap. If it is expired: the expired approval. */
  readonly approval?: Approval
}

/** Undefined if the batch needs no approval and has none. */
export const findApprovalStatus = (
  { maxTotal }: Pick<Batch, 'maxTotal'>,
  { limits, request, approvals }: ApprovalState,
): ApprovalStatus | undefined => {
  const wanted = request?.cap ?? maxTotal
  if (wanted === undefined) {
    const approval = approvals.find(({ isValid }) => isValid)
    return approval && { state: 'approved', approval }
  }
  const cap = decimal(wanted)
  const approval = findCovering(cap, approvals)
  if (approval !== undefined) return { state: 'approved', cap, request, approval }
  if (!needsApproval(cap, limits)) return undefined
  const [smaller] = approvals
    .filter(({ isValid }) => isValid)
    .toSorted((one, other) => decimal(other.cap).cmp(decimal(one.cap)))
  if (smaller !== undefined) return { state: 'waiting', cap, request, approval: smaller }
  const expired = approvals.find((each) => !each.isValid && cap.lte(decimal(each.cap)))
  return { state: expired === undefined ? 'waiting' : 'expired', cap, request, approval: expired }
}

export const findExpired = (status: ApprovalStatus | undefined): Approval | undefined =>
  status?.state === 'expired' ? status.approval : undefined

/** The database roles that cannot approve the batch. */
export const listBarredRoles = ({ plannedBy, request }: ApprovalState): string[] => [
  ...new Set([plannedBy, request?.role ?? plannedBy]),
]
