// Renders a report as JSON or CSV.
import { formatDecimal } from '../../../contract/decimal.ts'
import { writeJson } from '../../../contract/json.ts'
import { doubtfulKinds, type Figures, type Report } from '../../../contract/report/report.ts'
import { renderCsvLine } from '../../cards/csv.ts'
import { sanitizeJson } from '../../terminal/sanitize.ts'
import { joinKeys } from './report-text.ts'

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
    .map(renderCsvLine)
    .join('')
