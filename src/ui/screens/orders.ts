// Lists the orders of the journal, and the recorded reveals of codes.
import { parseDecimal } from '../../contract/decimal.ts'
import type { View } from '../terminal/view.ts'
import { formatMoney } from '../text/money.ts'
import { renderTable } from '../text/table.ts'
import { formatRelative, formatTime, toInstant } from '../text/time.ts'
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
  /** Who placed it. */
  readonly by?: string | undefined
}

const absent = '–'

const formatTotal = ({ total, wallet }: OrderRow): string => {
  const amount = total === undefined ? undefined : parseDecimal(total)
  return amount === undefined || wallet === undefined ? absent : formatMoney(amount, wallet)
}

export const renderOrders = (rows: readonly OrderRow[], view: View): string => {
  const hasActors = rows.some(({ by }) => by !== undefined)
  return renderTable(
    [
      { title: 'ORDER' },
      { title: 'REFERENCE', narrow: 'cut' },
      { title: 'STATE' },
      { title: 'TOTAL', align: 'right' },
      { title: 'PLACED' },
      { title: 'PROFILE', narrow: 'leave-out' },
      ...(hasActors ? [{ title: 'BY', narrow: 'leave-out' } as const] : []),
    ],
    rows.map((row) => [
      row.orderId ?? absent,
      row.reference ?? absent,
      standingCell(row.state, view.theme),
      formatTotal(row),
      formatRelative(row.placedAt, view.now),
      row.profile,
      ...(hasActors ? [row.by ?? absent] : []),
    ]),
    view,
  )
}

export type RevealRow = {
  readonly orderId: string
  readonly skus: readonly string[]
  readonly profile: string
  readonly who: string
  readonly how: string
  readonly at: number
}

export const renderReveals = (rows: readonly RevealRow[], view: View): string =>
  renderTable(
    [
      { title: 'WHEN' },
      { title: 'WHO' },
      { title: 'HOW' },
      { title: 'ORDER' },
      { title: 'SKUS', narrow: 'wrap' },
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    rows.map(({ at, who, how, orderId, skus, profile }) => [
      toInstant(at) === undefined ? '?' : formatTime(at, view),
      who,
      how,
      orderId,
      skus.join(', '),
      profile,
    ]),
    view,
  )
