// The plan of a batch: what it will order, and what is not known before the orders are created.
import type { Decimal } from '../../../contract/decimal.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { type Field, paragraph, renderFields } from '../../text/fields.ts'
import { formatMoney, formatNumber } from '../../text/money.ts'

export type PlanView = {
  readonly batch: { readonly name: string; readonly id: string; readonly wallet: string }
  readonly summary: {
    readonly state: string
    readonly rows: number
    readonly orders: number
    readonly cards: { readonly ordered: number }
  }
  /** Shown below the wallet. */
  readonly fields?: readonly Field[]
  readonly faceValues: readonly { readonly amount: Decimal; readonly currency: string | undefined }[]
}

export const renderPlan = (
  { batch, summary, faceValues, fields: more = [] }: PlanView,
  view: View,
): string => {
  const values = faceValues.map(({ amount, currency }) =>
    currency === undefined ? `${formatNumber(amount)} (currency not known)` : formatMoney(amount, currency),
  )
  const fields = renderFields(
    [
      ['Batch', view.theme.strong(sanitize(batch.name))],
      ['Id', batch.id],
      ['State', summary.state],
      ['Rows', String(summary.rows)],
      ['Cards', String(summary.cards.ordered)],
      ['Orders', String(summary.orders)],
      ['Face value', values.join(' + ')],
      ['Wallet', sanitize(batch.wallet)],
      ...more,
    ],
    view,
  )
  const unknown = 'Exchange rates, fees and discounts are not known before the orders are created.'
  return `${fields}\n${paragraph(unknown, view.width)}`
}
