// The words of a report, on the screen and on its page. Renders it as JSON or CSV.

import { formatDecimal } from '../../../contract/decimal.ts'
import { writeJson } from '../../../contract/json.ts'
import {
  type DoubtfulKind,
  doubtfulKinds,
  type Figures,
  type Report,
} from '../../../contract/report/report.ts'
import { formatUtcDay } from '../../../contract/timestamp.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { renderCsvLine } from '../../cards/csv.ts'
import { sanitizeJson } from '../../terminal/sanitize.ts'
import { formatBareMoney, formatMoney } from '../../text/amounts.ts'

export const describePeriod = ({ from, until }: Report): string =>
  `${formatUtcDay(from)} to ${formatUtcDay(until - 1)} (UTC)`

export const describeKeys = ({ by }: Report): string => by.join(', ')

export const joinKeys = (keys: readonly string[]): string => keys.join(' / ')

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

export const renderReportJson = ({ from, until, by, rows, totals }: Report): string =>
  `${sanitizeJson(
    writeJson(
      {
        from: new Date(from).toISOString(),
        to: new Date(until).toISOString(),
        by,
        rows: rows.map(({ keys, currency, ...figures }) => ({
          key: joinKeys(keys),
          keys,
          currency,
          ...selectFigures(figures),
        })),
        total: new Map([...totals].map(([currency, figures]) => [currency, selectFigures(figures)])),
      },
      2,
    ),
  )}\n`

const columns = [
  ...['currency', 'orders', 'cards', 'delivered', 'duplicates', 'charged'],
  ...doubtfulKinds.flatMap((kind) => [`${kind}_orders`, `${kind}_charged`]),
]

export const renderReportCsv = ({ by, rows }: Report): string =>
  [
    [...by.map((key) => key.replace('-', '_')), ...columns],
    ...rows.map((row) => [
      ...row.keys,
      row.currency,
      ...[row.orders, row.cards, row.delivered, row.duplicates].map(String),
      formatDecimal(row.charged),
      ...doubtfulKinds.flatMap((kind) => [String(row[kind].orders), formatDecimal(row[kind].charged)]),
    ]),
  ]
    .map((cells) => renderCsvLine(cells))
    .join('')

/** A column of the table of one currency, after the columns of its keys. */
type FigureColumn = {
  readonly title: string
  /** Left out first if there is no room. */
  readonly isMinor?: boolean
  readonly read: (figures: Figures) => string
}

/** `total` shows which columns are needed. */
export const listFigureColumns = (total: Figures, currency: string): FigureColumn[] => {
  const doubtful = doubtfulKinds.filter((kind) => total[kind].orders > 0)
  return [
    { title: 'charged', read: ({ charged }) => formatMoney(charged, currency) },
    { title: 'orders', isMinor: true, read: ({ orders }) => formatCount(orders) },
    { title: 'cards', read: ({ cards }) => formatCount(cards) },
    { title: 'delivered', isMinor: true, read: ({ delivered }) => formatCount(delivered) },
    ...(total.duplicates > 0 ? [duplicateColumn] : []),
    ...doubtful.map((kind) => ({
      title: kind,
      read: ({ [kind]: { orders, charged } }: Figures) =>
        orders === 0 ? '' : `${formatBareMoney(charged, currency)} (${formatCount(orders)})`,
    })),
  ]
}

const duplicateColumn: FigureColumn = {
  title: 'duplicate',
  read: ({ duplicates }) => formatCount(duplicates),
}

/** The keys of the row of the totals. */
export const totalKeys = ({ by }: Report): string[] => ['Total', ...by.slice(1).map(() => '')]
