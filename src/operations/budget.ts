// Explains what is left of a budget or a cap, and why a budget does not allow an order.
import { type Decimal, decimal, formatAmount, zero } from '../contract/money/decimal.ts'
import { formatMillionths, toMillionths } from '../contract/money/millionths.ts'
import { formatUtcMinute } from '../contract/time/timestamp.ts'
import { Failure, type Remedy } from '../errors.ts'
import type { Committed } from '../journal/limits/committed.ts'
import type { BudgetUse } from '../journal/limits/limits.ts'
import type { Offer } from './offer.ts'

/** Without the orders whose amount cannot be read. */
export const amountOf = ({ millionths }: Pick<Committed, 'millionths'>): Decimal =>
  decimal(formatMillionths(millionths))

/** A limit may be lowered below the amount spent. */
export const findLeft = (limit: string, { millionths, isDamaged }: Committed): Decimal => {
  const left = (toMillionths(limit) ?? 0n) - millionths
  return isDamaged || left < 0n ? zero : amountOf({ millionths: left })
}

/** Why nothing is left of a limit, and what to do. Undefined if all amounts can be read. */
export const describeDamage = ({ isDamaged }: Committed): { problem: string; remedy: Remedy } | undefined =>
  isDamaged
    ? {
        problem: 'the journal contains a damaged amount for an order that counts against the limit',
        remedy: {
          fix: (suggest) => suggest`list --all`,
          advice: 'The list warns about the order. Reconcile that order.',
        },
      }
    : undefined

/** The confirm was not sent. */
export const createOverBudgetFailure = (
  { orderId, total }: Pick<Offer, 'orderId' | 'total'>,
  profile: string,
  use: BudgetUse,
): Failure => {
  const { kind, currency, amount, spent, until } = use
  const text = describeBudget(profile, use)
  const damage = describeDamage(spent)
  const reason = damage === undefined ? text : `${text}, because ${damage.problem}`
  const problem = `the order ${orderId} of ${formatAmount(total, currency)} is over ${reason}; it was not confirmed`
  return new Failure('over-budget', problem, {
    ...{ orderId, role: use.forRole },
    budget: {
      ...{ text, per: kind, currency, amount: decimal(amount), left: findLeft(amount, spent) },
      until: until === undefined ? undefined : new Date(until).toISOString(),
    },
    ...(damage?.remedy ?? { fix: (suggest) => suggest`profile limits ${profile}` }),
  })
}

/** 'the budget of shop, 500.00 USD per day: 12.50 USD is left until 2026-11-23 00:00 UTC' */
const describeBudget = (
  profile: string,
  { kind, currency, amount, spent, until, forRole }: BudgetUse,
): string => {
  const role = forRole === undefined ? '' : ` for the database role ${forRole}`
  const budget = `the budget of ${profile}${role}, ${formatAmount(decimal(amount), currency)} per ${kind}`
  if (until === undefined) return budget
  return `${budget}: ${formatAmount(findLeft(amount, spent), currency)} is left until ${formatUtcMinute(until)}`
}
