// Judges whether a budget allows an order, and says what is left of it.
import { type Decimal, decimal, formatAmount, parseDecimal, sum, zero } from '../contract/decimal.ts'
import { formatUtcMinute } from '../contract/timestamp.ts'
import { Failure } from '../errors.ts'
import type { BatchUse } from '../journal/batches/approval-guard.ts'
import type { Committed } from '../journal/batches/slot-guard.ts'
import type { BudgetUse } from '../journal/limits/limits.ts'
import type { Offer } from './offer.ts'

export const isWithinBudget = (total: Decimal, { amount, spent }: BudgetUse): boolean =>
  addCommitted(spent).plus(total).lte(decimal(amount))

/** A budget may be lowered below what is spent. */
export const findLeft = ({ amount, spent }: Pick<BudgetUse, 'amount' | 'spent'>): Decimal => {
  const left = decimal(amount).minus(addCommitted(spent))
  return left.lt(zero) ? zero : left
}

/** The confirm was not sent. */
export const createOverBudgetFailure = (
  { orderId, total }: Pick<Offer, 'orderId' | 'total'>,
  profile: string,
  use: BudgetUse,
): Failure => {
  const { kind, currency, amount, until } = use
  const text = describeBudget(profile, use)
  const problem = `the order ${orderId} of ${formatAmount(total, currency)} is over ${text}; nothing was spent`
  return new Failure('not-approved', problem, {
    orderId,
    budget: {
      ...{ text, per: kind, currency, amount: decimal(amount), left: findLeft(use) },
      until: until === undefined ? undefined : new Date(until).toISOString(),
    },
    fix: (suggest) => `See what is left: ${suggest`profile limits ${profile}`}`,
  })
}

/** 'the budget of shop, 500.00 USD per day: 12.50 USD is left until 2026-11-23 00:00 UTC' */
const describeBudget = (profile: string, use: BudgetUse): string => {
  const { kind, currency, amount, until } = use
  const budget = `the budget of ${profile}, ${formatAmount(decimal(amount), currency)} per ${kind}`
  if (until === undefined) return budget
  return `${budget}: ${formatAmount(findLeft(use), currency)} is left until ${formatUtcMinute(until)}`
}

/** Counts a total that the journal does not have as 0. */
export const addCommitted = (committed: readonly Committed[]): Decimal =>
  sum(committed.map(({ total, count }) => (parseDecimal(total) ?? zero).times(decimal(String(count)))))

/** The amount that a batch may still spend. Negative if its cap was lowered. */
export const findLeftOfCap = ({ committed, maxTotal = '0' }: Omit<BatchUse, 'name'>): Decimal =>
  decimal(maxTotal).minus(addCommitted(committed))
