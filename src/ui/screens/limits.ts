// What limits spending: the budgets of an account and what is left of them, and the approval of a batch.

import { type Decimal, decimal } from '../../contract/money/decimal.ts'
import { formatUtcMinute } from '../../contract/time/timestamp.ts'
import type { Approval, ApprovalRequest, ApprovalState } from '../../journal/batches/approvals.ts'
import type { BudgetUse, Limit } from '../../journal/limits/limits.ts'
import type { ApprovalStatus } from '../../operations/approval.ts'
import { nameActor } from '../../text/actor-name.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { formatMoney } from '../text/amounts.ts'
import type { Field } from '../text/fields.ts'
import { renderTableOf, right } from '../text/table.ts'
import { formatRelative, formatTime } from '../text/time.ts'

export type BudgetRow = Omit<BudgetUse & Limit, 'amount' | 'spent'> & {
  readonly amount: Decimal
  /** Undefined for a budget per order. */
  readonly spent?: Decimal
  readonly left: Decimal
}

type Budget = { readonly kind: string; readonly currency: string; readonly amount: Decimal | string }

/** '500.00 USD per day' */
export const formatBudget = ({ kind, currency, amount }: Budget): string =>
  `${formatMoney(typeof amount === 'string' ? decimal(amount) : amount, currency)} per ${kind}`

/** 'ana, 2026-11-23 09:00 UTC' */
export const formatSetBy = ({ setBy, setAt }: Pick<BudgetRow, 'setAt' | 'setBy'>): string =>
  `${setBy === undefined ? '' : `${sanitize(nameActor(setBy))}, `}${formatUtcMinute(setAt)}`

const absent = '–'

/** Names the account of a budget only if it is not the account that is shown. */
export const renderBudgets = (rows: readonly BudgetRow[], account: string | undefined, view: View) => {
  const hasRoles = rows.some(({ forRole }) => forRole !== undefined)
  const hasOthers = rows.some(({ accountName }) => accountName !== account)
  const table = renderTableOf(
    [
      ['ROLE', ({ forRole }) => (forRole === undefined ? 'all' : sanitize(forRole)), { isShown: hasRoles }],
      ['BUDGET', formatBudget],
      [
        'SPENT',
        ({ spent, currency }) => (spent === undefined ? absent : formatMoney(spent, currency)),
        right,
      ],
      ['LEFT', ({ left, currency }) => formatMoney(left, currency), right],
      ['UNTIL', ({ until }) => (until === undefined ? absent : formatUtcMinute(until))],
      ['ACCOUNT', ({ accountName = absent }) => accountName, { isShown: hasOthers }],
    ],
    rows,
    view,
  )
  const settings = rows.map((row) => {
    const role = row.forRole === undefined ? '' : ` for ${sanitize(row.forRole)}`
    return `${formatBudget(row)}${role}: set by ${formatSetBy(row)}\n`
  })
  return `${table}\n${settings.join('')}`
}

const describeRequest = ({ role, askedAt }: ApprovalRequest, view: View): string =>
  `${sanitize(role)}, ${formatTime(askedAt, view)}`

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
): Field[] => {
  if (status === undefined) return []
  const { state, cap, request, approval } = status
  return [
    ['Approval', describeApproval(status, wallet, view)],
    ['Approved', state === 'waiting' ? approval && describeCap(approval, wallet) : undefined],
    ['Valid until', state === 'expired' ? undefined : approval && formatTime(approval.until, view)],
    ['Requested cap', state === 'approved' ? undefined : cap && formatMoney(cap, wallet)],
    ['Requested by', request && describeRequest(request, view)],
  ]
}

const stateOf = ({ isValid }: Approval) => (isValid ? 'approved' : 'expired')

/** What an approver sees: who asks, and the last approval. */
export const listEarlierFields = (
  { plannedBy, request, approvals: [approval] }: ApprovalState,
  wallet: string,
  view: View,
): Field[] => [
  ['Planned by', sanitize(plannedBy)],
  ['Requested by', request && describeRequest(request, view)],
  ['Requested cap', request && formatCap(request, wallet)],
  ['Approval', approval && describeApproval({ state: stateOf(approval), approval }, wallet, view)],
  ['Valid until', approval?.isValid === true ? formatTime(approval.until, view) : undefined],
]
