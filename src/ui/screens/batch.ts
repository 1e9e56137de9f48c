// A batch in fields.
import { type Decimal, parseDecimal } from '../../contract/decimal.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { renderFields } from '../text/fields.ts'
import { formatMoney } from '../text/money.ts'

export type BatchView = {
  readonly batch: {
    readonly name: string
    readonly id: string
    readonly wallet: string
    readonly maxTotal?: string
  }
  readonly summary: {
    readonly state: string
    readonly rows: number
    readonly orders: number
    readonly spent: Decimal
    readonly cards: Readonly<
      Record<'ordered' | 'delivered' | 'failed' | 'unknown' | 'open' | 'cancelled', number>
    >
  }
}

export const renderBatch = ({ batch, summary }: BatchView, view: View): string => {
  const { cards } = summary
  const others = (['failed', 'unknown', 'open', 'cancelled'] as const)
    .filter((state) => cards[state] > 0)
    .map((state) => `, ${cards[state]} ${state}`)
    .join('')
  const cap = parseDecimal(batch.maxTotal ?? '')
  const limit = cap === undefined ? '' : ` of at most ${formatMoney(cap, batch.wallet)}`
  return renderFields(
    [
      ['batch', view.theme.strong(sanitize(batch.name))],
      ['state', summary.state],
      ['cards', `${cards.delivered} of ${cards.ordered} delivered${others}`],
      ['orders', String(summary.orders)],
      ['spent', `${formatMoney(summary.spent, batch.wallet)}${limit}`],
    ],
    view,
  )
}
