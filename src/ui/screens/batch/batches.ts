// Tables of batches, and of the rows of one batch.

import { type Decimal, parseDecimal } from '../../../contract/decimal.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { BatchRow } from '../../../operations/batch/plan/rows.ts'
import type { BatchSummary } from '../../../operations/batch/summary.ts'
import type { View } from '../../terminal/view.ts'
import { formatBareMoney, formatMoney, formatNumber } from '../../text/amounts.ts'
import { renderTable } from '../../text/table.ts'
import { formatRelative } from '../../text/time.ts'
import { batchStateCell } from './batch-state.ts'

type BatchLine = Pick<Batch, 'name' | 'wallet' | 'maxTotal' | 'profile'> &
  Pick<BatchSummary, 'state' | 'cards' | 'orders' | 'spent'> & {
    /** When it was started, or planned if it was not started. */
    readonly at: number
  }

/** '3,120.00 of 5,000.00 USD'. */
export const formatSpentOf = (
  spent: Decimal,
  { wallet, maxTotal }: { readonly wallet: string; readonly maxTotal?: Decimal | string | undefined },
): string => {
  const cap = typeof maxTotal === 'string' ? parseDecimal(maxTotal) : maxTotal
  return cap === undefined
    ? formatMoney(spent, wallet)
    : `${formatBareMoney(spent, wallet)} of ${formatMoney(cap, wallet)}`
}

export const renderBatches = (lines: readonly BatchLine[], view: View): string =>
  renderTable(
    [
      { title: 'BATCH', narrow: 'cut' },
      { title: 'STATE' },
      { title: 'CARDS', align: 'right' },
      { title: 'ORDERS', align: 'right', narrow: 'leave-out' },
      { title: 'SPENT', align: 'right' },
      { title: 'WHEN' },
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    lines.map((line) => [
      line.name,
      batchStateCell(line.state, view.theme),
      `${line.cards.delivered} of ${line.cards.ordered}`,
      String(line.orders),
      formatSpentOf(line.spent, line),
      formatRelative(line.at, view.now),
      line.profile,
    ]),
    view,
  )

const absent = '–'

type RowLine = BatchRow & {
  readonly delivered: number
  readonly state: string
  readonly references: readonly string[]
  readonly errors: readonly string[]
}

/** `columns`: the names of the other columns of the input. They give way to references and errors. */
export const renderRows = (columns: readonly string[], rows: readonly RowLine[], view: View): string => {
  const hasOrders = rows.some(({ references, errors }) => references.length + errors.length > 0)
  return renderTable(
    [
      { title: 'LINE', align: 'right' },
      { title: 'SKU' },
      { title: 'QUOTE', align: 'right' },
      { title: 'CARDS', align: 'right' },
      { title: 'STATE' },
      ...columns.map((title) => ({ title, narrow: hasOrders ? 'leave-out' : 'wrap' }) as const),
      ...(hasOrders ? orderColumns : []),
    ],
    rows.map(({ line, sku, quote, quantity, delivered, state, references, errors, cells }) => [
      line > 0 ? String(line) : absent,
      sku,
      formatNumber(quote),
      `${delivered} of ${quantity}`,
      batchStateCell(state, view.theme),
      ...columns.map((_, index) => cells[index] ?? ''),
      ...(hasOrders ? [references.join(', '), errors.join('; ')] : []),
    ]),
    view,
  )
}

const orderColumns = [
  { title: 'REFERENCE', narrow: 'wrap' },
  { title: 'ERROR', narrow: 'wrap' },
] as const
