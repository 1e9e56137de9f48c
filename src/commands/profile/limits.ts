// orderctl profile limits: sets and removes the limits of an account, and shows what is left of its budgets.

import { accountWithoutKey } from '../../app/account.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { type JournalPlace, ownerOf } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { decimal, zero } from '../../contract/money/decimal.ts'
import { budgetKinds } from '../../contract/time/timestamp.ts'
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
  const { name, approveAbove, role, noInput, json } = options
  const account = await findAccount(context, name)
  const owner = ownerOf(account)
  const { set, removals } = listChanges(options)
  const isChanged = set.length + removals.length > 0
  await using journals = journalsOf(context, account, { noInput })
  const needsRoles = role === undefined ? approveAbove.length > 0 && '--approve-above' : '--role'
  if (needsRoles) refuseLocal(journals.place, owner, needsRoles)
  const journal = isChanged ? await journals.openOrCreate() : await journals.openExisting()
  const changes = isChanged ? await applyLimits(journal, owner, set, removals) : []
  const { rows, approvals, preparing } = await readLimits(journal, owner, role)
  const { stdout, stderr } = context
  if (json) {
    stdout.write(renderJson(toData(owner, rows, approvals, preparing)))
    return
  }
  for (const line of changes) stderr.write(`${line}\n`)
  warnOfWallet(context, account, options)
  if (rows.length > 0) stdout.write(renderBudgets(rows, owner.account.name, viewOf(context)))
  else if (approvals.length + preparing.length === 0) {
    const command = context.suggest`profile limits ${owner.profile} ${{ role, budget: '500USD/day' }}`
    stderr.write(`${sanitize(owner.profile)} has no budget${describeRole(role)}. To set one: ${command}\n`)
  }
  for (const limit of approvals)
    stdout.write(`${describeApproval(limit, '', 'need')} (set by ${formatSetBy(limit)})\n`)
  for (const limit of preparing)
    stdout.write(`${describePreparing(limit, 'orders')} (set by ${formatSetBy(limit)})\n`)
}

const prepareOnly = { kind: 'prepare-only', currency: '' } as const

/** What to set and to remove: of the role, or else of the account. */
const listChanges = (options: LimitsOptions) => {
  const { budget, removeBudget, approveAbove, removeApproval, role: forRole } = options
  const set: NewLimit[] = [...budget, ...approveAbove]
  if (options.prepareOnly) set.push({ ...prepareOnly, amount: '0' })
  const removals: Removal[] = [...removeBudget, ...removeApproval]
  if (options.removePrepareOnly) removals.push(prepareOnly)
  return {
    set: set.map((limit) => ({ ...limit, forRole })),
    removals: removals.map((removal) => ({ ...removal, forRole })),
  }
}

const findAccount = async (context: Context, name: string | undefined): Promise<Account> => {
  const isEnvironment = name === environmentName
  const profile = isEnvironment ? undefined : name
  const account = await accountWithoutKey(context, profile)
  if (isEnvironment && account.name !== environmentName) throw createUnknownProfileFailure(name, [])
  return account
}

/** The journal of one machine knows no roles, so nobody can approve anything there. */
const refuseLocal = ({ kind }: JournalPlace, { profile }: Owner, field: string): void => {
  if (kind === 'shared') return
  const journal = 'postgres://user@host/database'
  throw new Failure(
    'usage',
    `${field} needs a journal that a team shares, but ${profile} uses the journal of this machine; nothing was changed`,
    {
      field,
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
  const describeSet = (limit: NewLimit): string => {
    if (limit.kind === 'approval') return describeApproval(limit, ` of ${name}`, 'now need')
    if (limit.kind === 'prepare-only') return describePreparing(limit, `orders of ${name}`)
    return `The budget of ${name}${describeRole(limit.forRole)} is now ${formatBudget(limit)}`
  }
  const describeRemoved = (limit: Limit): string => {
    const { kind, currency, forRole } = limit
    if (kind === 'approval')
      return `Batches of ${name} in ${sanitize(currency)} no longer need an approval${describeRunner(forRole)}`
    if (kind === 'prepare-only')
      return `The role ${sanitize(forRole ?? '')} may confirm orders of ${name} again`
    return `The budget of ${name}${describeRole(forRole)} of ${formatBudget(limit)} was removed`
  }
  return [...set.map(describeSet), ...removed.map(describeRemoved)]
}

/** ' for the role mia' */
const describeRole = (role: string | undefined): string =>
  role === undefined ? '' : ` for the role ${sanitize(role)}`

const describeRunner = (role: string | undefined): string =>
  role === undefined ? '' : ` when run by the role ${sanitize(role)}`

/** 'Batches above 1,000.00 USD need an approval' */
const describeApproval = ({ amount, currency, forRole }: NewLimit, ofWhom: string, need: string): string => {
  const approval = `an approval${describeRunner(forRole)}`
  return decimal(amount).eq(zero)
    ? `Every batch${ofWhom} in ${sanitize(currency)} ${need}s ${approval}`
    : `Batches${ofWhom} above ${formatMoney(decimal(amount), currency)} ${need} ${approval}`
}

const describePreparing = ({ forRole = '' }: NewLimit, orders: string): string =>
  `The role ${sanitize(forRole)} may prepare ${orders}, but not confirm them`

const createMissingFailure = (profile: string, removal: Removal, [other]: readonly Limit[]): Failure => {
  const { field, wanted } = describeMissing(removal)
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

const describeMissing = ({ kind, currency, forRole }: Removal) => {
  const ofRole = describeRole(forRole)
  if (kind === 'prepare-only')
    return { field: '--remove-prepare-only', wanted: `prepare-only limit${ofRole}` }
  const ofCurrency = currency === undefined ? '' : ` in ${currency}`
  return kind === 'approval'
    ? { field: '--remove-approval', wanted: `approval limit${ofCurrency}${ofRole}` }
    : { field: '--remove-budget', wanted: `budget${ofCurrency} per ${kind}${ofRole}` }
}

/** All limits, or those of a role. */
const readLimits = async (journal: Journal, { account }: Owner, role: string | undefined) => {
  const all = await listLimits(journal.read, account)
  const limits = all.filter(({ forRole }) => role === undefined || forRole === role)
  const uses = await readBudgets(journal.read, account, limits)
  const rows = uses.map((use): BudgetRow => {
    const spent = use.kind === 'order' ? undefined : amountOf(use.spent)
    return { ...use, amount: decimal(use.amount), spent, left: findLeft(use.amount, use.spent) }
  })
  const compare = (one: BudgetRow, other: BudgetRow): number =>
    compareTexts(one.forRole ?? '', other.forRole ?? '') ||
    compareTexts(one.currency, other.currency) ||
    budgetKinds.indexOf(one.kind) - budgetKinds.indexOf(other.kind)
  const ofKind = (wanted: Limit['kind']) => limits.filter(({ kind }) => kind === wanted)
  return { rows: rows.toSorted(compare), approvals: ofKind('approval'), preparing: ofKind('prepare-only') }
}

const toData = (
  { profile }: Owner,
  rows: readonly BudgetRow[],
  approvals: readonly Limit[],
  preparing: readonly Limit[],
) => ({
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
  prepareOnly: preparing.map(settingData),
})

type Setting = Pick<Limit, 'forRole' | 'accountName' | 'setBy' | 'setAt'>

const settingData = ({ forRole, accountName, setBy, setAt }: Setting) => ({
  role: forRole ?? null,
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
