// The words of a report, on the screen and on its page. Renders it as JSON or CSV.

import { writeJson } from '../../../contract/json.ts'
import { formatDecimal } from '../../../contract/money/decimal.ts'
import {
  type DoubtfulKind,
  doubtfulKinds,
  type Figures,
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
} from '../../../contract/report/report.ts'
import { formatUtcDay } from '../../../contract/timestamp.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { renderCsvTable } from '../../cards/csv.ts'
import { sanitizeJson } from '../../terminal/sanitize.ts'
import { formatBareMoney, formatMoney } from '../../text/amounts.ts'

export const describePeriod = ({ from, until }: Report): string =>
  `${formatUtcDay(from)} to ${formatUtcDay(until - 1)} (UTC)`

export const describeReport = ({ by, isItemised }: Report): string =>
  isItemised ? 'Charged orders' : `Charged by ${by.map(nameKey).join(', ')}`

export const nameKey = (key: ReportKey): string => readColumnKey(key) ?? key

const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** What the amounts mean. Empty without orders. */
export const describeAmounts = ({ totals }: Report, suggest: Suggest): string => {
  const hasOrders = (kind: DoubtfulKind): boolean =>
    [...totals.values()].some((figures) => figures[kind].orders > 0)
  const refundable = (['failed', 'partial'] as const).filter(hasOrders).map((kind) => kind.toUpperCase())
  const sentences = [
    'CHARGED is what confirmed orders cost, by the last invoice that orderctl read.',
    refundable.length === 0
      ? 'The service does not report refunds.'
      : `The service does not report refunds: parts of ${refundable.join(' and ')} may have been paid back.`,
    ...(hasOrders('open') ? ['OPEN orders are not final yet.'] : []),
    ...(hasOrders('unknown')
      ? [
          `UNKNOWN orders may have been charged and are not part of CHARGED. Settle them: ${suggest`reconcile`}`,
        ]
      : []),
  ]
  return totals.size === 0 ? '' : sentences.join(' ')
}

const selectFigures = ({ orders, cards, delivered, duplicates, charged, ...figures }: Figures) => ({
  orders,
  cards,
  delivered,
  duplicates,
  charged,
  ...Object.fromEntries(doubtfulKinds.map((kind) => [kind, figures[kind]])),
})

export const renderReportJson = ({ from, until, by, rows, totals, isItemised }: Report): string => {
  const span = { from: new Date(from).toISOString(), to: new Date(until).toISOString(), by }
  const total = new Map([...totals].map(([currency, figures]) => [currency, selectFigures(figures)]))
  const data = isItemised
    ? {
        items: rows.map(({ keys, currency, cards, charged }) => ({
          ...Object.fromEntries(by.map((key, index) => [key, keys[index]])),
          currency,
          cards,
          charged,
        })),
      }
    : {
        rows: rows.map(({ keys, currency, ...figures }) => ({
          key: keys.join(' / '),
          keys,
          currency,
          ...selectFigures(figures),
        })),
      }
  return `${sanitizeJson(writeJson({ ...span, ...data, total }, 2))}\n`
}

type CsvColumn = readonly [title: string, read: (row: ReportRow) => string]

const countColumn = (field: 'orders' | 'cards' | 'delivered' | 'duplicates'): CsvColumn => [
  field,
  ({ [field]: count }) => String(count),
]

export const renderReportCsv = (
  { by, rows, isItemised }: Report,
  output: { readonly isTerminal: boolean },
): string => {
  const charged: CsvColumn = ['charged', (row) => formatDecimal(row.charged)]
  const columns: readonly CsvColumn[] = [
    ...by.map((key, index): CsvColumn => [toColumn(key), ({ keys }) => keys[index] ?? '']),
    ['currency', ({ currency }) => currency],
    ...(isItemised
      ? [countColumn('cards'), charged]
      : [
          ...(['orders', 'cards', 'delivered', 'duplicates'] as const).map(countColumn),
          charged,
          ...doubtfulKinds.flatMap((kind): CsvColumn[] => [
            [`${kind}_orders`, (row) => String(row[kind].orders)],
            [`${kind}_charged`, (row) => formatDecimal(row[kind].charged)],
          ]),
        ]),
  ]
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, read]) => read(row)))]
  return renderCsvTable(lines, output)
}

const toColumn = (key: ReportKey): string => (readColumnKey(key) === undefined ? key.replace('-', '_') : key)

/** A column of the table of one currency, after the columns of its keys. */
type FigureColumn = {
  readonly title: string
  /** Left out first if there is no room. */
  readonly isMinor?: boolean
  readonly read: (figures: Figures) => string
}

/** `total` shows which columns are needed. */
export const listFigureColumns = (total: Figures, currency: string, isItemised = false): FigureColumn[] => {
  const charged: FigureColumn = { title: 'charged', read: (row) => formatMoney(row.charged, currency) }
  const cards: FigureColumn = { title: 'cards', read: (row) => formatCount(row.cards) }
  if (isItemised) return [charged, { ...cards, isMinor: true }]
  const doubtful = doubtfulKinds.filter((kind) => total[kind].orders > 0)
  return [
    charged,
    { title: 'orders', isMinor: true, read: ({ orders }) => formatCount(orders) },
    cards,
    { title: 'delivered', isMinor: true, read: ({ delivered }) => formatCount(delivered) },
    ...(total.duplicates > 0
      ? [{ title: 'duplicate', read: ({ duplicates }: Figures) => formatCount(duplicates) }]
      : []),
    ...doubtful.map((kind) => ({
      title: kind,
      read: ({ [kind]: { orders, charged } }: Figures) =>
        orders === 0 ? '' : `${formatBareMoney(charged, currency)} (${formatCount(orders)})`,
    })),
  ]
}

/** The keys of the row of the totals. */
export const totalKeys = ({ by }: Report): string[] => ['Total', ...by.slice(1).map(() => '')]
