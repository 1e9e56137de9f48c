// Sets and removes the limits that the flags of profile limits name.
import { Failure } from '../../errors.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Limit, listLimits, removeLimit, setLimit } from '../../journal/limits/limits.ts'
import { formatBudget } from '../../ui/screens/limits/budgets.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { applyApprovals } from './approval-limits.ts'
import type { Removal } from './limit-values.ts'
import type { LimitsOptions } from './spec.ts'

/** Returns what was changed. */
export const applyLimits = async (
  journal: Journal,
  owner: Owner,
  options: LimitsOptions,
): Promise<string[]> => {
  const { account, profile } = owner
  const { budget: budgets, removeBudget } = options
  const known = await listLimits(journal, account)
  const isOwn = ({ accountName }: Limit): boolean => accountName === account.name
  const removed = removeBudget.flatMap((removal) => {
    const matching = known.filter((limit) => isRemoved(limit, removal))
    if (!matching.some(isOwn)) throw createNoBudgetFailure(profile, removal, matching)
    return matching.filter(isOwn)
  })
  const approvals = await applyApprovals(journal, owner, options, known)
  // If it is interrupted, the account has one limit too many, not too few.
  for (const budget of budgets) await setLimit(journal, account, budget)
  for (const limit of removed) await removeLimit(journal, account, limit)
  const name = sanitize(profile)
  return [
    ...budgets.map((budget) => `The budget of ${name} is now ${formatBudget(budget)}`),
    ...removed.map((limit) => `The budget of ${name} of ${formatBudget(limit)} was removed`),
    ...approvals,
  ]
}

const isRemoved = (limit: Limit, { kind, currency = limit.currency }: Removal): boolean =>
  limit.kind === kind && limit.currency === currency

const createNoBudgetFailure = (
  profile: string,
  { kind, currency }: Removal,
  [other]: readonly Limit[],
): Failure => {
  const wanted = `budget ${currency === undefined ? '' : `in ${currency} `}per ${kind}`
  return other === undefined
    ? new Failure('usage', `${profile} has no ${wanted}; nothing was changed`, {
        field: '--remove-budget',
        fix: (suggest) => `Show its budgets: ${suggest`profile limits ${profile}`}`,
      })
    : new Failure(
        'usage',
        `the ${wanted} belongs to ${describeAccount(other)} at this address; nothing was changed`,
        { field: '--remove-budget', fix: 'Remove it with a profile of that account.' },
      )
}

const describeAccount = ({ accountName }: Limit): string =>
  accountName === undefined ? 'the account without a name' : `the account ${accountName}`
