// The flags of `orderctl profile limits`, as typed options.

import { type BudgetKind, budgetKinds } from '../../contract/calendar/period.ts'
import { decimal, formatDecimal, zero } from '../../contract/decimal.ts'
import { walletPattern } from '../../contract/product-rules.ts'
import type { NewLimit } from '../../journal/limits/limits.ts'
import { createFlagReader, type FlagReader } from '../shared/flag-reader.ts'
import { type ApprovalOptions, readApprovalOptions } from './approval-options.ts'
import type { LimitsFlags } from './flags.ts'
import { amountPattern, findDecimalsProblem } from './limit-amount.ts'

export type Removal = {
  readonly kind: BudgetKind
  /** Without it: the budgets of all currencies. */
  readonly currency?: string
}

export type LimitOptions = ApprovalOptions & {
  readonly budgets: readonly NewLimit[]
  readonly removals: readonly Removal[]
}

export const readLimitOptions = (flags: LimitsFlags): LimitOptions => {
  const { budget = [], removeBudget = [] } = flags
  const reader = createFlagReader('profile limits')
  const budgets = budget.flatMap((text) => readBudget(reader, text) ?? [])
  const removals = removeBudget.flatMap(
    (text) => reader.read('--remove-budget', text, parseRemoval, removalForm) ?? [],
  )
  refuseConflicts(reader, budgets, removals)
  const approvalOptions = readApprovalOptions(reader, flags)
  reader.check()
  return { budgets, removals, ...approvalOptions }
}

const budgetForm =
  'an amount, a currency and a period, such as 500USD/day; the periods are order, day, week and month'
const removalForm = 'order, day, week or month, or one currency of it, such as USD/day'

const readBudget = (reader: FlagReader, text: string): NewLimit | undefined => {
  const parsed = reader.read('--budget', text, parseBudget, budgetForm)
  if (parsed === undefined) return undefined
  const { amount, currency } = parsed
  const problem = decimal(amount).eq(zero) ? 'an amount above 0' : findDecimalsProblem(amount, currency)
  if (problem === undefined) return { ...parsed, amount: formatDecimal(decimal(amount)) }
  reader.addProblem(`--budget is ${JSON.stringify(text)}; allowed: ${problem}`)
  return undefined
}

const budgetPattern = new RegExp(`^(${amountPattern})([A-Z][A-Z0-9]*)/(\\w+)$`)

const parseBudget = (text: string): NewLimit | undefined => {
  const [, amount = '', currency = '', kind] = budgetPattern.exec(text) ?? []
  const found = budgetKinds.find((each) => each === kind)
  return found === undefined || !walletPattern.test(currency) ? undefined : { kind: found, currency, amount }
}

const parseRemoval = (text: string): Removal | undefined => {
  const [first = '', second] = text.split('/')
  const kind = budgetKinds.find((each) => each === (second ?? first))
  if (kind === undefined) return undefined
  if (second === undefined) return { kind }
  return walletPattern.test(first) ? { kind, currency: first } : undefined
}

const refuseConflicts = (
  reader: FlagReader,
  budgets: readonly NewLimit[],
  removals: readonly Removal[],
): void => {
  const names = budgets.map(({ currency, kind }) => `${currency}/${kind}`)
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index)))
    reader.addProblem(`--budget sets ${name} twice`, '--budget')
  for (const { kind, currency } of removals) {
    const set = budgets.find((each) => each.kind === kind && (currency ?? each.currency) === each.currency)
    if (set !== undefined)
      reader.addProblem(
        `--budget sets ${set.currency}/${kind}, and --remove-budget removes it`,
        '--remove-budget',
      )
  }
}
