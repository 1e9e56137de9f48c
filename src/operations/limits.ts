// Explains what is left of a cap or a budget, and why one does not allow an order.
import {
  type Decimal,
  decimal,
  formatAmount,
  formatDecimal,
  formatMillionths,
  roundUpToLimit,
  zero,
} from '../contract/money/decimal.ts'
import { formatUtcMinute } from '../contract/time.ts'
import { Failure, type FailureReason, type Remedy } from '../errors.ts'
import { type Committed, readLimit, type Use } from '../journal/limits.ts'

/** Without the orders whose amount cannot be read. */
export const amountOf = ({ millionths }: Pick<Committed, 'millionths'>): Decimal =>
  decimal(formatMillionths(millionths))

/** A limit may be lowered below the amount spent. */
export const findLeft = ({ amount, spent: { millionths, isDamaged } }: Pick<Use, 'amount' | 'spent'>) => {
  const left = readLimit(amount) - millionths
  return isDamaged || left < 0n ? zero : amountOf({ millionths: left })
}

type Facts = Pick<Use, 'name'> & {
  readonly orderId: string
  readonly profile: string
  /** The lowest amount that would allow the order. */
  readonly needed: string
}
type Refusal = Remedy & { readonly reason: FailureReason; readonly limit: string; readonly field?: string }

/** Its name, and what to do. */
const refusals: Readonly<Record<Use['scope'], (facts: Facts) => Refusal>> = {
  command: ({ orderId, needed }) => ({
    ...{ reason: 'over-max-total', limit: '--max-total', field: '--max-total' },
    fix: (suggest) => suggest`get ${orderId}`,
    advice: (suggest) => `Raise the limit: ${suggest`confirm ${orderId} ${{ 'max-total': needed }}`}`,
  }),
  batch: ({ name = '', needed }) => ({
    ...{ reason: 'over-cap', limit: `the cap of its batch ${name}` },
    fix: (suggest) => suggest`batch show ${name}`,
    advice: (suggest) => `Raise the cap: ${suggest`batch run ${name} ${{ 'max-total': needed }}`}`,
  }),
  account: ({ profile }) => ({
    ...{ reason: 'over-budget', limit: `the budget of ${profile}` },
    fix: (suggest) => suggest`profile limits ${profile}`,
  }),
  role: ({ name, ...facts }) => {
    const refusal = refusals.account(facts)
    return { ...refusal, limit: `${refusal.limit} for the database role ${name}` }
  },
}

const ofDamage: Remedy = {
  fix: (suggest) => suggest`list --all`,
  advice: 'The list warns about the order. Reconcile that order.',
}

/** The confirm was not sent. `profile`: for a budget. */
export const createOverLimitFailure = (
  { orderId, total }: { readonly orderId: string; readonly total: Decimal },
  use: Use,
  profile = '',
): Failure => {
  const { scope, name, kind, currency, amount, spent, until } = use
  const needed = formatDecimal(roundUpToLimit(amountOf(spent).plus(total)))
  const { reason, limit, field, ...remedy } = refusals[scope]({ orderId, name, profile, needed })
  const left = findLeft(use)
  const hasLeft = !spent.isDamaged && (until !== undefined || scope === 'batch')
  // '500.00 USD per day, 12.50 USD left until 2026-11-23 00:00 UTC'
  const facts = [
    formatAmount(decimal(amount), currency),
    kind && ` per ${kind}`,
    hasLeft && `, ${formatAmount(left, currency)} left`,
    hasLeft && until !== undefined && ` until ${formatUtcMinute(until)}`,
  ]
  const text = `${limit} (${facts.filter(Boolean).join('')})`
  const why = spent.isDamaged ? `${text}, because the journal contains a damaged amount` : text
  const problem = `the order ${orderId} of ${formatAmount(total, currency)} is over ${why}; it was not confirmed`
  return new Failure(reason, problem, {
    ...{ field, orderId, role: scope === 'role' ? name : undefined },
    budget: kind && {
      ...{ text, per: kind, currency, amount: decimal(amount), left },
      until: until === undefined ? undefined : new Date(until).toISOString(),
    },
    ...(spent.isDamaged ? ofDamage : remedy),
  })
}
