// orderctl profile limits: sets and removes the limits of an account, and shows what is left of its budgets.
import type { Context } from '../../context.ts'
import { decimal, zero } from '../../contract/decimal.ts'
import { budgetKinds } from '../../contract/timestamp.ts'
import { Failure, type Fix } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import {
  type Limit,
  listLimits,
  type NewLimit,
  readBudgets,
  removeLimit,
  setLimit,
} from '../../journal/limits/limits.ts'
import { addCommitted, findLeft } from '../../operations/budget.ts'
import type { Account } from '../../profiles/account.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../profiles/store.ts'
import { compareTexts } from '../../text/compare-texts.ts'
import { type BudgetRow, formatBudget, formatSetBy, renderBudgets } from '../../ui/screens/limits/budgets.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { renderJson } from '../../ui/text/json.ts'
import { accountOf } from '../shared/account.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { type JournalPlace, ownerOf } from '../shared/journal/place.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { isRemoved, type Removal } from './limit-values.ts'
import type { LimitsOptions } from './spec.ts'

/** Returns the exit code. */
export const changeLimits = async (context: Context, options: LimitsOptions): Promise<number> => {
  const { name, budget, removeBudget, approveAbove, removeApproval, noInput, json } = options
  const account = await findAccount(context, name)
  const owner = ownerOf(account)
  const [set, removals] = [
    [...budget, ...approveAbove],
    [...removeBudget, ...removeApproval],
  ]
  const isChanged = set.length > 0 || removals.length > 0
  const journals = journalsOf(context, account, { noInput })
  try {
    if (approveAbove.length > 0) refuseLocalApprovals(journals.place, owner)
    const journal = isChanged ? await journals.openToWrite() : await journals.openToRead()
    const said = journal !== undefined && isChanged ? await applyLimits(journal, owner, set, removals) : []
    const limits = journal === undefined ? [] : await listLimits(journal, owner.account)
    const rows = journal === undefined ? [] : await readRows(journal, owner, limits)
    const approvals = limits.filter(({ kind }) => kind === 'approval')
    if (json) {
      context.stdout.write(renderJson(toData(owner, rows, approvals)))
      return exitCodes.ok.code
    }
    for (const line of said) context.stderr.write(`${line}\n`)
    for (const text of warnOfWallet(account, options)) context.stderr.warn(text)
    if (rows.length > 0 || approvals.length === 0) printRows(context, owner, rows)
    for (const limit of approvals)
      context.stdout.write(`${describeApproval(limit, '', 'need')} (set by ${formatSetBy(limit)})\n`)
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}

/** Nothing is sent, so no key is needed, and plain http does no harm. */
const findAccount = async (context: Context, name: string | undefined): Promise<Account> => {
  const isEnvironment = name === environmentName
  const profile = isEnvironment ? undefined : name
  const account = await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  if (isEnvironment && account.name !== environmentName) throw createUnknownProfileFailure(name, [])
  return account
}

/** Nobody can approve anything in the journal of one machine. */
const refuseLocalApprovals = ({ kind }: JournalPlace, { profile }: Owner): void => {
  if (kind === 'shared') return
  throw new Failure(
    'usage',
    `--approve-above needs a journal that a team shares, but ${profile} uses the journal of this machine; nothing was changed`,
    { field: '--approve-above', fix: adviseSharedJournal(profile) },
  )
}

const adviseSharedJournal = (profile: string): Fix => {
  const address = 'postgres://user@host/database'
  switch (profile) {
    case sandbox:
      return (suggest) => `Use a profile with a shared journal (--journal). Add one: ${suggest`profile add`}`
    case environmentName:
      return `Set ORDERCTL_JOURNAL=${address}.`
    default:
      return (suggest) =>
        `Set ORDERCTL_JOURNAL=${address}, or change the profile: ${suggest`profile set ${profile} ${{ journal: address }}`}`
  }
}

/** Returns what was changed. */
const applyLimits = async (
  journal: Journal,
  { account, profile }: Owner,
  set: readonly NewLimit[],
  removals: readonly Removal[],
): Promise<string[]> => {
  const known = await listLimits(journal, account)
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
  return [
    ...set.map((limit) =>
      limit.kind === 'approval'
        ? describeApproval(limit, ` of ${name}`, 'now need')
        : `The budget of ${name} is now ${formatBudget(limit)}`,
    ),
    ...removed.map((limit) =>
      limit.kind === 'approval'
        ? `Batches of ${name} in ${sanitize(limit.currency)} no longer need an approval`
        : `The budget of ${name} of ${formatBudget(limit)} was removed`,
    ),
  ]
}

/** 'Batches above 1,000.00 USD need an approval' */
const describeApproval = ({ amount, currency }: NewLimit, ofWhom: string, need: string): string =>
  decimal(amount).eq(zero)
    ? `Every batch${ofWhom} in ${sanitize(currency)} ${need}s an approval`
    : `Batches${ofWhom} above ${formatMoney(decimal(amount), currency)} ${need} an approval`

const createMissingFailure = (
  profile: string,
  { kind, currency }: Removal,
  [other]: readonly Limit[],
): Failure => {
  const isApproval = kind === 'approval'
  const of = isApproval ? '' : ` per ${kind}`
  const wanted = `${isApproval ? 'approval limit' : 'budget'}${currency === undefined ? '' : ` in ${currency}`}${of}`
  const field = isApproval ? '--remove-approval' : '--remove-budget'
  return other === undefined
    ? new Failure('usage', `${profile} has no ${wanted}; nothing was changed`, {
        field,
        fix: (suggest) => `Show its limits: ${suggest`profile limits ${profile}`}`,
      })
    : new Failure(
        'usage',
        `the ${wanted} belongs to ${describeAccount(other)} at this address; nothing was changed`,
        { field, fix: 'Remove it with a profile of that account.' },
      )
}

const describeAccount = ({ accountName }: Limit): string =>
  accountName === undefined ? 'the account without a name' : `the account ${accountName}`

const readRows = async (
  journal: Journal,
  { account }: Owner,
  limits: readonly Limit[],
): Promise<BudgetRow[]> => {
  const uses = await readBudgets(journal, account, limits)
  return uses
    .map((use) => ({
      ...use,
      amount: decimal(use.amount),
      spent: use.kind === 'order' ? undefined : addCommitted(use.spent),
      left: findLeft(use),
    }))
    .toSorted(
      (one, other) =>
        compareTexts(one.currency, other.currency) ||
        budgetKinds.indexOf(one.kind) - budgetKinds.indexOf(other.kind),
    )
}

const toData = ({ profile }: Owner, rows: readonly BudgetRow[], approvals: readonly Limit[]) => ({
  profile,
  budgets: rows.map(({ kind, currency, amount, spent, left, until, ...limit }) => ({
    per: kind,
    currency,
    amount,
    spent: spent ?? null,
    left,
    until: until === undefined ? null : isoTime(until),
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
  setAt: isoTime(setAt),
})

const printRows = (context: Context, { profile, account }: Owner, rows: readonly BudgetRow[]): void => {
  if (rows.length === 0) {
    context.stderr.write(
      `${sanitize(profile)} has no budget. To set one: ${context.suggest`profile limits ${profile} --budget 500USD/day`}\n`,
    )
    return
  }
  context.stdout.write(renderBudgets(rows, account.name, viewOf(context)))
}

const warnOfWallet = (account: Account, { budget }: LimitsOptions): string[] => {
  const wallet = account.kind === 'service' ? account.wallet : undefined
  const others = new Set(budget.map(({ currency }) => currency).filter((each) => each !== wallet))
  if (wallet === undefined || others.size === 0) return []
  return [...others].map(
    (currency) =>
      `${sanitize(account.name)} pays from ${sanitize(wallet)} by default. This budget only limits orders that are paid from ${currency}.`,
  )
}
