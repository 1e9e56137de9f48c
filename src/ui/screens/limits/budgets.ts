// The table of the budgets of an account, and what is left of them.
import { type Decimal, decimal } from '../../../contract/decimal.ts'
import type { BudgetKind } from '../../../contract/period.ts'
import { formatUtcMinute } from '../../../contract/timestamp.ts'
import type { View } from '../../terminal/view.ts'
import { formatMoney } from '../../text/money.ts'
import { renderTable } from '../../text/table.ts'

export type BudgetRow = {
  readonly kind: BudgetKind
  readonly currency: string
  readonly amount: Decimal
  /** Undefined for a budget per order. */
  readonly spent?: Decimal
  readonly left: Decimal
  readonly until?: number
  /** The declared account that it was set for. */
  readonly accountName?: string
}

/** '500.00 USD per day' */
export const formatBudget = ({
  kind,
  currency,
  amount,
}: {
  readonly kind: string
  readonly currency: string
  readonly amount: Decimal | string
}): string => `${formatMoney(typeof amount === 'string' ? decimal(amount) : amount, currency)} per ${kind}`

const absent = '–'

/** Names the account of a budget only if it is not the account that is shown. */
export const renderBudgets = (
  rows: readonly BudgetRow[],
  shownAccount: string | undefined,
  view: View,
): string => {
  const hasOthers = rows.some(({ accountName }) => accountName !== shownAccount)
  return renderTable(
    [
      { title: 'BUDGET' },
      { title: 'SPENT', align: 'right' },
      { title: 'LEFT', align: 'right' },
      { title: 'UNTIL' },
      ...(hasOthers ? [{ title: 'ACCOUNT' }] : []),
    ],
    rows.map((row) => {
      const { currency, spent, left, until, accountName } = row
      return [
        formatBudget(row),
        spent === undefined ? absent : formatMoney(spent, currency),
        formatMoney(left, currency),
        until === undefined ? absent : formatUtcMinute(until),
        ...(hasOthers ? [accountName ?? absent] : []),
      ]
    }),
    view,
  )
}
