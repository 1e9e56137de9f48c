// The words of a report, on the screen and on its page. Renders it as JSON or CSV.

import { writeJson } from '../../contract/json.ts'
import {
  type DoubtfulKind,
  doubtfulKinds,
  type Figures,
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
} from '../../contract/report/report.ts'
import { formatUtcDay } from '../../contract/time/timestamp.ts'
import type { Suggest } from '../../text/suggest.ts'
import { renderResultsCsv } from '../../ui/cards/csv.ts'
import { sanitizeJson } from '../../ui/terminal/sanitize.ts'
import { formatBareMoney, formatMoney } from '../../ui/text/amounts.ts'
import { pick, type ResultField, type ResultFields, readFields } from '../../ui/text/result-fields.ts'
import { formatIso } from '../../ui/text/time.ts'

export const describePeriod = ({ from, until }: Report): string =>
  `${from === 0 ? 'up' : formatUtcDay(from)} to ${formatUtcDay(until - 1)} (UTC)`

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

const counts = (['orders', 'cards', 'delivered', 'duplicates', 'charged'] as const).map(
  (name): ResultField<Figures> => [name, (figures) => figures[name], { csv: name }],
)

const figureFields: ResultFields<Figures> = [
  ...counts,
  ...pick((figures: Figures) => figures, ...doubtfulKinds),
]

const itemFigures = counts.filter(([name]) => name === 'cards' || name === 'charged')

/** The fields of a row, or of an item. */
export const listReportFields = ({
  by,
  isItemised,
}: Pick<Report, 'by' | 'isItemised'>): ResultFields<ReportRow> => [
  ...by.map((key, index): ResultField<ReportRow> => [key, ({ keys }) => keys[index], { csv: toColumn(key) }]),
  ...(isItemised ? [] : keyFields),
  ['currency', ({ currency }) => currency, { csv: 'currency' }],
  ...(isItemised ? itemFigures : figureFields),
]

const keyFields: ResultFields<ReportRow> = [
  ['key', ({ keys }) => keys.join(' / ')],
  ['keys', ({ keys }) => keys],
]

export const renderReportJson = (report: Report): string => {
  const { from, until, by, rows, subtotals, totals, isItemised } = report
  const fields = listReportFields(report)
  const sumFields = listReportFields({ ...report, by: by.slice(0, 1) })
  const data = {
    ...{ from: formatIso(from), to: formatIso(until), by },
    [isItemised ? 'items' : 'rows']: rows.map((row) => readFields(fields, row)),
    ...(subtotals.length === 0 ? {} : { subtotals: subtotals.map((row) => readFields(sumFields, row)) }),
    total: new Map([...totals].map(([currency, figures]) => [currency, readFields(figureFields, figures)])),
  }
  return `${sanitizeJson(writeJson(data, 2))}\n`
}

/** CSV has a column for each number. */
const doubtfulColumns = doubtfulKinds.flatMap(
  (kind): ResultFields<ReportRow> => [
    [kind, (row) => row[kind].orders, { csv: `${kind}_orders` }],
    [kind, (row) => row[kind].charged, { csv: `${kind}_charged` }],
  ],
)

export const renderReportCsv = (report: Report, output: { readonly isTerminal: boolean }): string =>
  renderResultsCsv(
    [...listReportFields(report), ...(report.isItemised ? [] : doubtfulColumns)],
    report.rows,
    output,
  )

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

type ReportLine = { readonly keys: readonly string[]; readonly row: ReportRow; readonly isSubtotal: boolean }

/** The rows of a currency. A subtotal follows the rows of each value of the first key, if there are several. */
export const listLines = ({ by, rows, subtotals }: Report, currency: string): ReportLine[] => {
  const own = Map.groupBy(
    rows.filter((row) => row.currency === currency),
    ({ keys }) => keys[0],
  )
  const sums = new Map(subtotals.filter((row) => row.currency === currency).map((row) => [row.keys[0], row]))
  return [...own].flatMap(([first = '', all]) => {
    const lines = all.map((row): ReportLine => ({ keys: row.keys, row, isSubtotal: false }))
    const sum = all.length > 1 && own.size > 1 ? sums.get(first) : undefined
    const keys = [first, 'Subtotal', ...by.slice(2).map(() => '')]
    return sum === undefined ? lines : [...lines, { keys, row: sum, isSubtotal: true }]
  })
}

/** The keys of the row of the totals. */
export const totalKeys = ({ by }: Report): string[] => ['Total', ...by.slice(1).map(() => '')]
