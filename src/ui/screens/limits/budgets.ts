// The table of the budgets of an account, and what is left of them.

import { type Decimal, decimal } from '../../../contract/decimal.ts'
import { formatUtcMinute } from '../../../contract/timestamp.ts'
import type { BudgetUse } from '../../../journal/limits/budgets.ts'
import type { Limit } from '../../../journal/limits/limits.ts'
import { nameActor } from '../../../text/actor-name.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { formatMoney } from '../../text/amounts.ts'
import { renderTableOf, right } from '../../text/table.ts'

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
export const renderBudgets = (
  rows: readonly BudgetRow[],
  shownAccount: string | undefined,
  view: View,
): string => {
  const hasOthers = rows.some(({ accountName }) => accountName !== shownAccount)
  const table = renderTableOf(
    [
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
  const settings = rows.map((row) => `${formatBudget(row)}: set by ${formatSetBy(row)}\n`)
  return `${table}\n${settings.join('')}`
}
