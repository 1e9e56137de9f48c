// The plan of a batch: what it will order, and what is not known before the orders are created.

import { type Decimal, decimal } from '../../../contract/money/decimal.ts'
import type { Batch } from '../../../journal/batches/batches.ts'
import type { BatchRow, Product } from '../../../operations/batch/plan/rows.ts'
import type { BatchSummary } from '../../../operations/batch/summary.ts'
import { sanitize } from '../../../ui/terminal/text.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { formatNumber } from '../../../ui/text/formats.ts'
import { type NamedText, paragraph, renderFields, renderTableOf, right } from '../../../ui/text/table.ts'
import { type FaceValue, formatFaceValues } from './batches.ts'
import { type ColumnReading, renderReading } from './column-reading.ts'
import { formatLine, listInputColumns } from './rows.ts'

type PlanView = {
  readonly batch: Pick<Batch, 'name' | 'id' | 'wallet'>
  readonly summary: BatchSummary
  /** Shown below the wallet. */
  readonly fields?: readonly NamedText[]
  readonly faceValues: readonly FaceValue[]
  readonly reading?: ColumnReading | undefined
}

export const renderPlan = (shown: PlanView, view: View): string => {
  const { batch, summary, faceValues, reading, fields = [] } = shown
  const all: NamedText[] = [
    ['Batch', view.theme.strong(sanitize(batch.name))],
    ['Id', batch.id],
    ['State', summary.state],
    ['Rows', String(summary.rows)],
    ['Cards', String(summary.cards.ordered)],
    ['Orders', String(summary.orders)],
    ['Face value', formatFaceValues(faceValues)],
    ['Wallet', sanitize(batch.wallet)],
    ...fields,
  ]
  const unknown = 'Exchange rates, fees and discounts are not known before the orders are created.'
  const columns = reading === undefined ? '' : renderReading(reading, view)
  return `${renderFields(all, view)}${columns}\n${paragraph(unknown, view.width)}`
}

export type RequestedView = {
  readonly columns: readonly string[]
  readonly rows: readonly BatchRow[]
  readonly products: readonly (Product & { readonly cards: number; readonly sum: Decimal })[]
  /** The command that shows all rows. */
  readonly showRows: string
}

const maxLines = 20

/** What an approver reads first: the rows, and the sum of each product. */
export const renderRequested = ({ columns, rows, products, showRows }: RequestedView, view: View): string => {
  const rowTable = renderTableOf(
    [
      ['LINE', formatLine, right],
      ['SKU', ({ sku }) => sku],
      ['QUOTE', ({ quote }) => formatNumber(decimal(quote)), right],
      ['CARDS', ({ quantity }) => String(quantity), right],
      ...listInputColumns(columns, () => 'wrap'),
    ],
    rows.slice(0, maxLines),
    view,
  )
  const productTable = renderTableOf(
    [
      ['PRODUCT', ({ sku }) => sku],
      ['TYPE', ({ productType }) => productType],
      ['QUOTE', ({ quote }) => formatNumber(decimal(quote)), right],
      ['CARDS', ({ cards }) => String(cards), right],
      ['SUM', ({ sum }) => formatNumber(sum), right],
    ],
    products.slice(0, maxLines),
    view,
  )
  const others = (count: number, noun: string, more = ''): string =>
    count > maxLines ? `Showing ${maxLines} of ${count} ${noun}.${more}\n` : ''
  return `${rowTable}${others(rows.length, 'rows', ` See all: ${showRows}`)}\n${productTable}${others(products.length, 'products')}`
}
