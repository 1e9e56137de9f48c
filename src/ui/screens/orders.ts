// What was ordered from here, and whose codes were shown: a line each, newest first.
import { parseDecimal } from '../../contract/decimal.ts'
import type { View } from '../terminal/view.ts'
import { moneyText } from '../text/money.ts'
import { tableText } from '../text/table.ts'
import { instantOf, relativeText, timeText } from '../text/time.ts'
import { standingCell } from './state.ts'

export type OrderRow = {
  readonly orderId?: string | undefined
  readonly reference?: string | undefined
  readonly state: string
  readonly profile: string
  readonly wallet?: string | undefined
  /** An exact decimal. */
  readonly total?: string | undefined
  readonly placedAt: number
}

const none = '–'

const totalOf = ({ total, wallet }: OrderRow): string => {
  const amount = total === undefined ? undefined : parseDecimal(total)
  return amount === undefined || wallet === undefined ? none : moneyText(amount, wallet)
}

export const ordersText = (rows: readonly OrderRow[], view: View): string =>
  tableText(
    [
      { title: 'ORDER' },
      { title: 'REFERENCE', narrow: 'cut' },
      { title: 'STATE' },
      { title: 'TOTAL', align: 'right' },
      { title: 'PLACED' },
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    rows.map((row) => [
      row.orderId ?? none,
      row.reference ?? none,
      standingCell(row.state, view.theme),
      totalOf(row),
      relativeText(row.placedAt, view.now),
      row.profile,
    ]),
    view,
  )

export type RevealRow = {
  readonly orderId: string
  readonly skus: readonly string[]
  readonly profile: string
  readonly who: string
  readonly how: string
  readonly at: number
}

export const revealsText = (rows: readonly RevealRow[], view: View): string =>
  tableText(
    [
      { title: 'WHEN' },
      { title: 'WHO' },
      { title: 'HOW' },
      { title: 'ORDER' },
      { title: 'SKUS', narrow: 'wrap' },
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    rows.map(({ at, who, how, orderId, skus, profile }) => [
      instantOf(at) === undefined ? '?' : timeText(at, view),
      who,
      how,
      orderId,
      skus.join(', '),
      profile,
    ]),
    view,
  )
