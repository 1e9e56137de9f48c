// orderctl profile limits: sets and removes the limits of an account, and shows what is left of its budgets.

import { accountWithoutKey } from '../../app/account.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { type JournalPlace, ownerOf } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { decimal, zero } from '../../contract/money/decimal.ts'
import { budgetKinds } from '../../contract/timestamp.ts'
import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import {
  type Limit,
  listLimits,
  type NewLimit,
  readBudgets,
  removeLimit,
  setLimit,
} from '../../journal/limits/limits.ts'
import type { Owner } from '../../journal/orders/entry.ts'
import { amountOf, findLeft } from '../../operations/budget.ts'
import type { Account } from '../../profiles/account.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../profiles/store.ts'
import { compareTexts } from '../../text/compare-texts.ts'
import { type BudgetRow, formatBudget, formatSetBy, renderBudgets } from '../../ui/screens/limits.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { renderJson } from '../../ui/text/json.ts'
import { formatIso } from '../../ui/text/time.ts'
import { isRemoved, type Removal } from './limit-values.ts'
import type { LimitsOptions } from './spec.ts'

export const changeLimits = async (context: Context, options: LimitsOptions): Promise<void> => {
  const { name, budget, removeBudget, approveAbove, removeApproval, noInput, json } = options
  const account = await findAccount(context, name)
  const owner = ownerOf(account)
  const set = [...budget, ...approveAbove]
  const removals = [...removeBudget, ...removeApproval]
  const isChanged = set.length + removals.length > 0
  await using journals = journalsOf(context, account, { noInput })
  if (approveAbove.length > 0) refuseLocalApprovals(journals.place, owner)
  const journal = isChanged ? await journals.openOrCreate() : await journals.openExisting()
  const changes = isChanged ? await applyLimits(journal, owner, set, removals) : []
  const { rows, approvals } = await readLimits(journal, owner)
  const { stdout, stderr } = context
  if (json) {
    stdout.write(renderJson(toData(owner, rows, approvals)))
    return
  }
  for (const line of changes) stderr.write(`${line}\n`)
  warnOfWallet(context, account, options)
  if (rows.length > 0) stdout.write(renderBudgets(rows, owner.account.name, viewOf(context)))
  else if (approvals.length === 0) {
    const command = context.suggest`profile limits ${owner.profile} --budget 500USD/day`
    stderr.write(`${sanitize(owner.profile)} has no budget. To set one: ${command}\n`)
  }
  for (const limit of approvals)
    stdout.write(`${describeApproval(limit, '', 'need')} (set by ${formatSetBy(limit)})\n`)
}

const findAccount = async (context: Context, name: string | undefined): Promise<Account> => {
  const isEnvironment = name === environmentName
  const profile = isEnvironment ? undefined : name
  const account = await accountWithoutKey(context, profile)
  if (isEnvironment && account.name !== environmentName) throw createUnknownProfileFailure(name, [])
  return account
}

/** Nobody can approve anything in the journal of one machine. */
const refuseLocalApprovals = ({ kind }: JournalPlace, { profile }: Owner): void => {
  if (kind === 'shared') return
  const journal = 'postgres://user@host/database'
  throw new Failure(
    'usage',
    `--approve-above needs a journal that a team shares, but ${profile} uses the journal of this machine; nothing was changed`,
    {
      field: '--approve-above',
      advice: (suggest) => {
        if (profile === sandbox)
          return `Use a profile with a shared journal (--journal). Add one: ${suggest`profile add`}`
        if (profile === environmentName) return `Set ORDERCTL_JOURNAL=${journal}.`
        return `Set ORDERCTL_JOURNAL=${journal}, or change the profile: ${suggest`profile set ${profile} ${{ journal }}`}`
      },
    },
  )
}

/** Returns what was changed. */
const applyLimits = async (
  journal: Journal,
  { account, profile }: Owner,
  set: readonly NewLimit[],
  removals: readonly Removal[],
): Promise<string[]> => {
  const known = await listLimits(journal.read, account)
  const removed = removals.flatMap((removal) => {
    const matching = known.filter((limit) => isRemoved(limit, removal))
    const own = matching.filter(({ accountName }) => accountName === account.name)
    if (own.length === 0) throw createMissingFailure(profile, removal, matching)
    return own
  })
  // If it is interrupted, the account has one limit too many, not too few.
  for (const limit of set) await setLimit(journal, account, limit)
  for (const limit of removed) await removeLimit(journal, account, limit)
  const name = sanitize(profile)
  const describeSet = (limit: NewLimit): string =>
    limit.kind === 'approval'
      ? describeApproval(limit, ` of ${name}`, 'now need')
      : `The budget of ${name} is now ${formatBudget(limit)}`
  const describeRemoved = (limit: Limit): string =>
    limit.kind === 'approval'
      ? `Batches of ${name} in ${sanitize(limit.currency)} no longer need an approval`
      : `The budget of ${name} of ${formatBudget(limit)} was removed`
  return [...set.map(describeSet), ...removed.map(describeRemoved)]
}

/** 'Batches above 1,000.00 USD need an approval' */
const describeApproval = ({ amount, currency }: NewLimit, ofWhom: string, need: string): string =>
  decimal(amount).eq(zero)
    ? `Every batch${ofWhom} in ${sanitize(currency)} ${need}s an approval`
    : `Batches${ofWhom} above ${formatMoney(decimal(amount), currency)} ${need} an approval`

const createMissingFailure = (profile: string, removal: Removal, [other]: readonly Limit[]): Failure => {
  const { kind, currency } = removal
  const isApproval = kind === 'approval'
  const ofCurrency = currency === undefined ? '' : ` in ${currency}`
  const wanted = isApproval ? `approval limit${ofCurrency}` : `budget${ofCurrency} per ${kind}`
  const field = isApproval ? '--remove-approval' : '--remove-budget'
  if (other === undefined)
    return new Failure('usage', `${profile} has no ${wanted}; nothing was changed`, {
      field,
      fix: (suggest) => suggest`profile limits ${profile}`,
    })
  const { accountName: name } = other
  const owner = name === undefined ? 'the account without a name' : `the account ${name}`
  const advice = 'Remove it with a profile of that account.'
  const problem = `the ${wanted} belongs to ${owner} at this address; nothing was changed`
  return new Failure('usage', problem, { field, advice })
}

const readLimits = async (journal: Journal, { account }: Owner) => {
  const limits = await listLimits(journal.read, account)
  const uses = await readBudgets(journal.read, account, limits)
  const rows = uses.map((use): BudgetRow => {
    const spent = use.kind === 'order' ? undefined : amountOf(use.spent)
    return { ...use, amount: decimal(use.amount), spent, left: findLeft(use.amount, use.spent) }
  })
  const compare = (one: BudgetRow, other: BudgetRow): number =>
    compareTexts(one.currency, other.currency) ||
    budgetKinds.indexOf(one.kind) - budgetKinds.indexOf(other.kind)
  return { rows: rows.toSorted(compare), approvals: limits.filter(({ kind }) => kind === 'approval') }
}

const toData = ({ profile }: Owner, rows: readonly BudgetRow[], approvals: readonly Limit[]) => ({
  profile,
  budgets: rows.map(({ kind, currency, amount, spent, left, until, ...limit }) => ({
    per: kind,
    currency,
    amount,
    spent: spent ?? null,
    left,
    until: formatIso(until),
    ...settingData(limit),
  })),
  approvals: approvals.map(({ currency, amount, ...limit }) => ({
    currency,
    above: decimal(amount),
    ...settingData(limit),
  })),
})

const settingData = ({ accountName, setBy, setAt }: Pick<Limit, 'accountName' | 'setBy' | 'setAt'>) => ({
  account: accountName ?? null,
  setBy: setBy?.role ?? setBy?.user ?? null,
  writtenBy: setBy?.writtenBy ?? null,
  setAt: formatIso(setAt),
})

const warnOfWallet = ({ stderr }: Context, account: Account, { budget }: LimitsOptions): void => {
  if (account.kind === 'sandbox' || account.wallet === undefined) return
  for (const currency of new Set(budget.map((each) => each.currency)).difference(new Set([account.wallet])))
    stderr.warn(
      `${sanitize(account.name)} pays from ${sanitize(account.wallet)} by default. This budget only limits orders that are paid from ${currency}.`,
    )
}
