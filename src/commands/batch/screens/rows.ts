// The table of a batch's rows.
import { decimal, parseDecimal } from '../../../contract/money/decimal.ts'
import type { ReportedRow } from '../../../operations/batch/summary.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { formatNumber } from '../../../ui/text/formats.ts'
import { listColumns, pick, type ResultFields, readFields } from '../../../ui/text/result-fields.ts'
import {
  type Cell,
  type ColumnLayout,
  type ColumnOf,
  type ColumnsOf,
  fitsTable,
  readTable,
  renderTableOf,
  right,
} from '../../../ui/text/table.ts'
import { absent, batchStateCell } from './batches.ts'

type Cards = ReportedRow['cards']

const joinDistinct = (separator: string, cards: Cards, read: (card: Cards[number]) => string | undefined) =>
  [...new Set(cards.map(read).filter((text) => text !== undefined))].join(separator)

const count = ({ cards }: ReportedRow, state: Cards[number]['state']): number =>
  cards.filter((card) => card.state === state).length

/** Returns '–' for a row of --product, which has no line. */
export const formatLine = ({ line }: { readonly line: number }): string => (line > 0 ? String(line) : absent)

const showQuote = ({ quote }: ReportedRow): string => formatNumber(decimal(quote))
const showDelivered = (row: ReportedRow): string => `${count(row, 'delivered')} of ${row.quantity}`
const showRowState = ({ state }: ReportedRow, { theme }: View): Cell => batchStateCell(state, theme)

/** The fields of a row. `columns`: the names of the other columns of the input. */
export const listRowFields = (columns: readonly string[]): ResultFields<ReportedRow> => [
  ['line', ({ line }) => line, { title: 'LINE', cell: formatLine, ...right }],
  ['sku', ({ sku }) => sku, { title: 'SKU' }],
  ...pick((row: ReportedRow) => row, 'productType'),
  ['quote', ({ quote }) => parseDecimal(quote) ?? quote, { title: 'QUOTE', cell: showQuote, ...right }],
  ...pick((row: ReportedRow) => row, 'quantity'),
  ['delivered', (row) => count(row, 'delivered'), { title: 'CARDS', cell: showDelivered, ...right }],
  ['failed', (row) => count(row, 'failed')],
  ['duplicate', (row) => count(row, 'duplicate')],
  ['state', ({ state }) => state, { title: 'STATE', cell: showRowState }],
  ['columns', ({ cells }) => new Map(columns.map((column, index) => [column, cells[index] ?? '']))],
  ['cards', ({ cards }) => cards.map((card) => readFields(rowCardFields, card))],
]

const rowCardFields: ResultFields<Cards[number]> = [
  ...pick((card: Cards[number]) => card, 'state', 'error'),
  ['id', ({ order }) => order?.orderId],
  ['reference', ({ order }) => order?.reference],
]

const looksLikeName = /name|recipient|person|empf/i

/**
 * On a narrow terminal, the references are left out first, then the other columns of the input. The names, or else the
 * first column, are only cut.
 */
export const renderRows = (columns: readonly string[], rows: readonly ReportedRow[], view: View): string => {
  const readReferences = ({ cards }: ReportedRow): string =>
    joinDistinct(', ', cards, ({ order }) => order?.reference)
  const readErrors = ({ cards }: ReportedRow): string => joinDistinct('; ', cards, ({ error }) => error)
  const hasReferences = rows.some((row) => readReferences(row) !== '')
  const hasErrors = rows.some((row) => readErrors(row) !== '')
  const nameColumn = Math.max(
    0,
    columns.findIndex((name) => looksLikeName.test(name)),
  )
  const listAll = (isWide: boolean): ColumnsOf<ReportedRow> => [
    ...listColumns(listRowFields(columns), rows, view),
    ...listInputColumns(columns, (index) => {
      if (!hasReferences && !hasErrors) return 'wrap'
      return index === nameColumn && !isWide ? 'cut' : 'leave-out'
    }),
    ['REFERENCE', readReferences, { narrow: 'leave-out', isShown: isWide && hasReferences }],
    ['ERROR', readErrors, { narrow: 'wrap', isShown: hasErrors }],
  ]
  const isWide = fitsTable(...readTable(listAll(true), rows), view.width)
  return renderTableOf(listAll(isWide), rows, view)
}

export const listInputColumns = (
  columns: readonly string[],
  narrowOf: (index: number) => NonNullable<ColumnLayout['narrow']>,
) =>
  columns.map(
    (title, index): ColumnOf<Pick<ReportedRow, 'cells'>> => [
      title,
      ({ cells }) => cells[index],
      { narrow: narrowOf(index) },
    ],
  )
