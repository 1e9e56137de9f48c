// What limits spending: the budgets of an account and what is left of them, and the approval of a batch.

import { type Decimal, decimal, zero } from '../../contract/money/decimal.ts'
import { formatUtcMinute } from '../../contract/time.ts'
import type { Approval } from '../../journal/batches/approvals.ts'
import type { BudgetUse, Limit, NewLimit } from '../../journal/limits.ts'
import type { ApprovalStatus } from '../../operations/approval.ts'
import { nameActor } from '../../text/words.ts'
import { sanitize } from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'
import { formatMoney, formatRelative, formatTime } from '../text/formats.ts'
import { column, listOf, pick, type ResultFields, renderResults } from '../text/result-fields.ts'
import { type NamedText, right } from '../text/table.ts'
import { actorFields } from './orders.ts'

export type BudgetRow = Omit<BudgetUse, 'spent'> & {
  /** Undefined for a budget per order. */
  readonly spent?: Decimal
  readonly left: Decimal
}

type Budget = Pick<NewLimit, 'currency' | 'amount'> & { readonly kind: string }

/** '500.00 USD per day' */
const formatBudget = ({ kind, currency, amount }: Budget): string =>
  `${formatMoney(decimal(amount), currency)} per ${kind}`

/** ' for the role mia' */
export const describeRole = (role: string | undefined): string =>
  role === undefined ? '' : ` for the role ${sanitize(role)}`

/** '500.00 USD per day for the role mia', or a sentence. */
const describeLimit = (limit: NewLimit): string => {
  const { kind, currency, amount, forRole } = limit
  if (kind === 'prepare-only')
    return `The role ${sanitize(forRole ?? '')} may prepare orders, but not confirm them`
  if (kind !== 'approval') return `${formatBudget(limit)}${describeRole(forRole)}`
  const approval = `an approval${forRole === undefined ? '' : ` when run by the role ${sanitize(forRole)}`}`
  return decimal(amount).eq(zero)
    ? `Every batch in ${sanitize(currency)} needs ${approval}`
    : `Batches above ${formatMoney(decimal(amount), currency)} need ${approval}`
}

/** 'ana, 2026-11-23 09:00 UTC' */
const formatSetBy = ({ setBy, setAt }: Pick<Limit, 'setAt' | 'setBy'>): string =>
  `${setBy === undefined ? '' : `${sanitize(nameActor(setBy))}, `}${formatUtcMinute(setAt)}`

const absent = '–'

/** 'Budget removed from shop: 500.00 USD per day' */
export const describeChange = (
  limit: NewLimit,
  change: 'set for' | 'removed from',
  account: string,
): string => {
  const { kind, forRole = '' } = limit
  if (kind === 'prepare-only') return `Prepare-only ${change} ${account}: the role ${sanitize(forRole)}`
  return `${kind === 'approval' ? 'Approval' : 'Budget'} ${change} ${account}: ${describeLimit(limit)}`
}

const settingFields: ResultFields<Limit> = [
  ['role', 'text', 'the database role that it limits; null for all', ({ forRole }) => forRole],
  ['account', 'text', "the account's declared name", ({ accountName }) => accountName],
  ['by', actorFields, 'who set it', ({ setBy }) => setBy],
  ['setAt', 'time', 'when', ({ setAt }) => setAt],
]

const budgetFields: ResultFields<BudgetRow> = [
  column('per', 'text', 'order, day, week or month', ({ kind }) => kind, {
    title: 'BUDGET',
    cell: formatBudget,
  }),
  ...pick((budget: BudgetRow) => budget, {
    currency: ['text', 'of the amounts'],
    amount: ['amount', 'the budget'],
  }),
  column('spent', 'amount', 'what counts against it', ({ spent }) => spent, {
    ...{ title: 'SPENT', ...right },
    cell: ({ spent, currency }) => (spent === undefined ? absent : formatMoney(spent, currency)),
  }),
  column('left', 'amount', 'what is left of it', ({ left }) => left, {
    ...{ title: 'LEFT', ...right },
    cell: ({ left, currency }) => formatMoney(left, currency),
  }),
  column('endsAt', 'time', 'when the next period begins', ({ until }) => until, {
    title: 'UNTIL',
    cell: ({ until }) => (until === undefined ? absent : formatUtcMinute(until)),
  }),
  ...settingFields,
]

type AllLimits = {
  readonly profile: string
  readonly budgets: readonly BudgetRow[]
  /** Approvals, and roles that may only prepare orders. */
  readonly others: readonly Limit[]
}

const approvalLimitFields: ResultFields<Limit> = [
  ['above', 'amount', 'a batch above it needs an approval', ({ amount }) => amount],
  ['currency', 'text', 'of the amount', ({ currency }) => currency],
  ...settingFields,
]

export const limitsFields: ResultFields<AllLimits> = [
  ['profile', 'text', 'the profile', ({ profile }) => profile],
  ['budgets', listOf(budgetFields), 'its budgets', ({ budgets }) => budgets],
  [
    'approvals',
    listOf(approvalLimitFields),
    'which batches need an approval',
    ({ others }) => others.filter(({ kind }) => kind === 'approval'),
  ],
  [
    'prepareOnly',
    listOf(settingFields),
    'roles that may not confirm',
    ({ others }) => others.filter(({ kind }) => kind === 'prepare-only'),
  ],
]

/** The budgets as a table, then each limit with who set it. `account`: the name of the account that is shown. */
export const renderLimits = (
  budgets: readonly BudgetRow[],
  others: readonly Limit[],
  account: string | undefined,
  view: View,
): string => {
  const hasRoles = budgets.some(({ forRole }) => forRole !== undefined)
  const hasOthers = budgets.some(({ accountName }) => accountName !== account)
  const role = column<BudgetRow>('', 'text', '', ({ forRole }) => forRole, {
    title: 'ROLE',
    cell: ({ forRole }) => (forRole === undefined ? 'all' : sanitize(forRole)),
  })
  const accountName = column<BudgetRow>('', 'text', '', (each) => each.accountName, {
    title: 'ACCOUNT',
    cell: (each) => each.accountName ?? absent,
  })
  const fields = [...(hasRoles ? [role] : []), ...budgetFields, ...(hasOthers ? [accountName] : [])]
  const all = [...budgets, ...others].map(
    (limit) => `${describeLimit(limit)} (set by ${formatSetBy(limit)})\n`,
  )
  return `${budgets.length === 0 ? '' : `${renderResults(fields, budgets, view)}\n`}${all.join('')}`
}

const formatCap = ({ cap }: Pick<Approval, 'cap'>, wallet: string): string =>
  formatMoney(decimal(cap), wallet)

/** 'up to 5,000.00 USD by ana' */
const describeCap = (approval: Approval, wallet: string): string =>
  `up to ${formatCap(approval, wallet)} by ${sanitize(approval.role)}`

/** '! expired 3 s ago; ben had approved up to 1,200.00 USD' */
const describeApproval = ({ state, approval }: ApprovalStatus, wallet: string, view: View): string => {
  const { theme, now } = view
  if (state === 'waiting' || approval === undefined) return theme.warning('○ waiting')
  return state === 'approved'
    ? `${theme.good('✓ approved')} ${describeCap(approval, wallet)}`
    : `${theme.warning(`! expired ${formatRelative(approval.until, now)}`)}; ${sanitize(approval.role)} had approved up to ${formatCap(approval, wallet)}`
}

/** The fields of a batch that needs an approval or has one. */
export const listApprovalFields = (
  status: ApprovalStatus | undefined,
  wallet: string,
  view: View,
): NamedText[] => {
  if (status === undefined) return []
  const { state, cap, request, approval } = status
  return [
    ['Approval', describeApproval(status, wallet, view)],
    ['Approved', state === 'waiting' ? approval && describeCap(approval, wallet) : undefined],
    ['Valid until', state === 'expired' ? undefined : approval && formatTime(approval.until, view)],
    ['Requested cap', state === 'approved' ? undefined : cap && formatMoney(cap, wallet)],
    ['Requested by', request && `${sanitize(request.role)}, ${formatTime(request.askedAt, view)}`],
  ]
}
