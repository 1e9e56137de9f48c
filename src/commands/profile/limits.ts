// orderctl profile limits: sets and removes the limits of an account, and shows what is left of its budgets.
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/decimal.ts'
import { budgetKinds } from '../../contract/timestamp.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Limit, listLimits, readBudgets, removeLimit, setLimit } from '../../journal/limits/limits.ts'
import { findLeft } from '../../operations/budget.ts'
import { addCommitted } from '../../operations/committed.ts'
import type { Account } from '../../profiles/account.ts'
import { environmentName } from '../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../profiles/store.ts'
import { compareTexts } from '../../text/compare-texts.ts'
import { type BudgetRow, formatBudget, renderBudgets } from '../../ui/screens/limits/budgets.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import { accountOf } from '../shared/account.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/place.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { type Problem, refuseFlags } from '../shared/read-options.ts'
import {
  applyApprovals,
  describeApprovalLimit,
  refuseLocalApprovals,
  toApprovalData,
} from './approval-limits.ts'
import { settingData } from './limit-setting.ts'
import type { Removal } from './limit-values.ts'
import type { LimitsOptions } from './spec.ts'

/** Returns the exit code. */
export const changeLimits = async (context: Context, options: LimitsOptions): Promise<number> => {
  const { name, budget, removeBudget, approveAbove, removeApproval, noInput, json } = options
  refuseFlags('profile limits', [...findBudgetConflicts(options), ...findApprovalConflicts(options)])
  const account = await findAccount(context, name)
  const owner = ownerOf(account)
  const isChanged = [budget, removeBudget, approveAbove, removeApproval].some(({ length }) => length > 0)
  const journals = journalsOf(context, account, { noInput })
  try {
    refuseLocalApprovals(options, journals.place, owner)
    const journal = isChanged ? await journals.openToWrite() : await journals.openToRead()
    const said = journal !== undefined && isChanged ? await applyLimits(journal, owner, options) : []
    const limits = journal === undefined ? [] : await listLimits(journal, owner.account)
    const rows = journal === undefined ? [] : await readRows(journal, owner, limits)
    const approvals = limits.filter(({ kind }) => kind === 'approval')
    if (json) {
      context.stdout.write(renderJson({ ...toData(owner, rows), approvals: toApprovalData(approvals) }))
      return exitCodes.ok.code
    }
    for (const line of [...said, ...warnOfWallet(account, options)]) context.stderr.write(`${line}\n`)
    if (rows.length > 0 || approvals.length === 0) printRows(context, owner, rows)
    for (const limit of approvals) context.stdout.write(`${describeApprovalLimit(limit)}\n`)
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}

const findBudgetConflicts = ({ budget, removeBudget }: LimitsOptions): Problem[] => [
  ...findRepeated(budget.map(({ currency, kind }) => `${currency}/${kind}`)).map((each) => ({
    text: `--budget sets ${each} twice`,
    field: '--budget',
  })),
  ...removeBudget.flatMap(({ kind, currency }) => {
    const set = budget.find((each) => each.kind === kind && (currency ?? each.currency) === each.currency)
    if (set === undefined) return []
    const text = `--budget sets ${set.currency}/${kind}, and --remove-budget removes it`
    return [{ text, field: '--remove-budget' }]
  }),
]

const findApprovalConflicts = ({ approveAbove, removeApproval }: LimitsOptions): Problem[] => {
  const currencies = approveAbove.map(({ currency }) => currency)
  return [
    ...findRepeated(currencies).map((each) => ({
      text: `--approve-above sets ${each} twice`,
      field: '--approve-above',
    })),
    ...removeApproval
      .filter((each) => currencies.includes(each))
      .map((each) => ({
        text: `--approve-above sets ${each}, and --remove-approval removes it`,
        field: '--remove-approval',
      })),
  ]
}

const findRepeated = (texts: readonly string[]): string[] => [
  ...new Set(texts.filter((each, index) => texts.indexOf(each) !== index)),
]

/** Nothing is sent, so no key is needed, and plain http does no harm. */
const findAccount = async (context: Context, name: string | undefined): Promise<Account> => {
  const isEnvironment = name === environmentName
  const profile = isEnvironment ? undefined : name
  const account = await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  if (isEnvironment && account.name !== environmentName) throw createUnknownProfileFailure(name, [])
  return account
}

const readRows = async (
  journal: Journal,
  { account }: Owner,
  limits: readonly Limit[],
): Promise<BudgetRow[]> => {
  const uses = await readBudgets(journal, account, limits)
  return uses
    .map((use) => ({
      kind: use.kind,
      currency: use.currency,
      amount: decimal(use.amount),
      spent: use.kind === 'order' ? undefined : addCommitted(use.spent),
      left: findLeft(use),
      until: use.until,
      accountName: use.accountName,
      setAt: use.setAt,
      setBy: use.setBy,
    }))
    .toSorted(
      (one, other) =>
        compareTexts(one.currency, other.currency) ||
        budgetKinds.indexOf(one.kind) - budgetKinds.indexOf(other.kind),
    )
}

const toData = ({ profile }: Owner, rows: readonly BudgetRow[]) => ({
  profile,
  budgets: rows.map(({ kind, currency, amount, spent, left, until, accountName, ...setting }) => ({
    per: kind,
    currency,
    amount,
    spent: spent ?? null,
    left,
    until: until === undefined ? null : isoTime(until),
    account: accountName ?? null,
    ...settingData(setting),
  })),
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
      `warning: ${sanitize(account.name)} pays from ${sanitize(wallet)} by default. This budget only limits orders that are paid from ${currency}.`,
  )
}

/** Returns what was changed. */
const applyLimits = async (journal: Journal, owner: Owner, options: LimitsOptions): Promise<string[]> => {
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
