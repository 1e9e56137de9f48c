// orderctl profile limits: sets and removes the limits of an account, and shows what is left of its budgets.

import { accountWithoutKey } from '../../app/account.ts'
import { type JournalPlace, journalsOf, ownerOf } from '../../app/journals.ts'
import { writeProse } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { budgetKinds } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import {
  type Limit,
  listLimits,
  type NewLimit,
  readBudgets,
  removeLimit,
  setLimit,
} from '../../journal/limits.ts'
import type { Owner } from '../../journal/orders/entries.ts'
import { amountOf, findLeft } from '../../operations/offer.ts'
import type { Account } from '../../profiles/account.ts'
import { createUnknownProfileFailure, environmentName, sandbox } from '../../profiles/store.ts'
import { compareTexts } from '../../text/words.ts'
import {
  type BudgetRow,
  describeChange,
  describeRole,
  limitsFields,
  renderLimits,
} from '../../ui/screens/limits.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { readFields, renderJson } from '../../ui/text/result-fields.ts'
import { isRemoved, type Removal, type SetLimit } from './limit-values.ts'
import type { LimitsOptions } from './spec.ts'

export const changeLimits = async (context: Context, options: LimitsOptions): Promise<void> => {
  const { approveAbove, role, noInput, json } = options
  const account = await findAccount(context, options.name)
  const owner = ownerOf(account)
  const { set, removals } = listChanges(options)
  const isChanged = set.length + removals.length > 0
  await using journals = journalsOf(context, account, { noInput })
  const needsRoles = role === undefined ? approveAbove.length > 0 && '--approve-above' : '--role'
  if (needsRoles) refuseLocal(journals.place, owner, needsRoles)
  const journal = isChanged ? await journals.openOrCreate() : await journals.openExisting()
  const removed = isChanged ? await applyLimits(journal, owner, set, removals) : []
  const { budgets, others } = await readLimits(journal, owner, role)
  const { stdout } = context
  if (json) {
    stdout.write(renderJson(readFields(limitsFields, { profile: owner.profile, budgets, others })))
    return
  }
  const name = sanitize(owner.profile)
  for (const limit of set) writeProse(context, `${describeChange(limit, 'set for', name)}\n`)
  for (const limit of removed) writeProse(context, `${describeChange(limit, 'removed from', name)}\n`)
  warnOfWallet(context, account, options)
  stdout.write(renderLimits(budgets, others, owner.account.name, viewOf(context)))
  if (budgets.length + others.length === 0) {
    const command = context.suggest`profile limits ${owner.profile} ${{ role, budget: '500USD/day' }}`
    writeProse(context, `${name} has no budget${describeRole(role)}. To set one: ${command}\n`)
  }
}

const prepareOnly = { kind: 'prepare-only', currency: '' } as const

/** What to set and to remove: of the role, or else of the account. */
const listChanges = (options: LimitsOptions) => {
  const { budget, removeBudget, approveAbove, removeApproval, role: forRole } = options
  const set: SetLimit[] = [...budget, ...approveAbove]
  if (options.prepareOnly) set.push({ ...prepareOnly, amount: '0', field: '--prepare-only' })
  const removals: Removal[] = [...removeBudget, ...removeApproval]
  if (options.removePrepareOnly) removals.push({ ...prepareOnly, field: '--remove-prepare-only' })
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

/** Returns the limits that were removed. */
const applyLimits = async (
  journal: Journal,
  { account, profile }: Owner,
  set: readonly NewLimit[],
  removals: readonly Removal[],
): Promise<readonly Limit[]> => {
  const known = await listLimits(journal.read, account)
  const removed = removals.flatMap((removal) => {
    const matching = known.filter((limit) => isRemoved(limit, removal))
    const own = matching.filter(({ accountName }) => accountName === account.name)
    if (own.length === 0) throw createNoLimitFailure(profile, removal, matching)
    return own
  })
  // If it is interrupted, the account has one limit too many, not too few.
  for (const limit of set) await setLimit(journal, account, limit)
  for (const limit of removed) await removeLimit(journal, account, limit)
  return removed
}

const createNoLimitFailure = (profile: string, removal: Removal, [other]: readonly Limit[]): Failure => {
  const { kind, currency, forRole, field } = removal
  const name = kind === 'approval' || kind === 'prepare-only' ? `${kind} limit` : `budget per ${kind}`
  const wanted = `${name}${currency ? ` in ${currency}` : ''}${describeRole(forRole)}`
  if (other === undefined)
    return new Failure('usage', `${profile} has no ${wanted}; nothing was changed`, {
      field,
      fix: (suggest) => suggest`profile limits ${profile}`,
    })
  const { accountName } = other
  const owner = accountName === undefined ? 'the account without a name' : `the account ${accountName}`
  const advice = 'Remove it with a profile of that account.'
  const problem = `the ${wanted} belongs to ${owner} at this address; nothing was changed`
  return new Failure('usage', problem, { field, advice })
}

/** All limits, or those of a role. */
const readLimits = async (journal: Journal, { account }: Owner, role: string | undefined) => {
  const all = await listLimits(journal.read, account)
  const limits = all.filter(({ forRole }) => role === undefined || forRole === role)
  const uses = await readBudgets(journal.read, account, limits)
  const rows = uses.map((use): BudgetRow => {
    const spent = use.kind === 'order' ? undefined : amountOf(use.spent)
    return { ...use, spent, left: findLeft(use) }
  })
  const compare = (one: BudgetRow, other: BudgetRow): number =>
    compareTexts(one.forRole ?? '', other.forRole ?? '') ||
    compareTexts(one.currency, other.currency) ||
    budgetKinds.indexOf(one.kind) - budgetKinds.indexOf(other.kind)
  const others = limits.filter(({ kind }) => kind === 'approval' || kind === 'prepare-only')
  return { budgets: rows.toSorted(compare), others }
}

const warnOfWallet = ({ stderr }: Context, account: Account, { budget }: LimitsOptions): void => {
  if (account.kind === 'sandbox' || account.wallet === undefined) return
  for (const currency of new Set(budget.map((each) => each.currency)).difference(new Set([account.wallet])))
    stderr.warn(
      `${sanitize(account.name)} pays from ${sanitize(account.wallet)} by default. This budget only limits orders that are paid from ${currency}.`,
    )
}
