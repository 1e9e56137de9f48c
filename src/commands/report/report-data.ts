// The words of a report, and its rows as a described result: JSON, CSV, the table and the page are made from it.

import {
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
  type UnsuccessfulKind,
  unsuccessfulKinds,
} from '../../contract/report.ts'
import { formatUtcDay } from '../../contract/time.ts'
import type { Suggest } from '../../text/suggest.ts'
import { renderResultsCsv } from '../../ui/cards/csv.ts'
import { toCountFields } from '../../ui/screens/orders.ts'
import type { View } from '../../ui/terminal/view.ts'
import { formatBareMoney, formatMoney } from '../../ui/text/formats.ts'
import {
  column,
  listColumns,
  listOf,
  type ResultField,
  type ResultFields,
} from '../../ui/text/result-fields.ts'
import { readTable, right } from '../../ui/text/table.ts'

export const describePeriod = ({ from, until }: Report): string =>
  `${from === 0 ? 'up' : formatUtcDay(from)} to ${formatUtcDay(until - 1)} (UTC)`

export const describeReport = ({ by }: Report): string => `Charged by ${by.map(nameKey).join(', ')}`

const nameKey = (key: ReportKey): string => readColumnKey(key) ?? key

/** What the amounts mean. */
export const describeAmounts = ({ totals }: Report, suggest: Suggest): string => {
  const has = (...kinds: readonly UnsuccessfulKind[]): boolean =>
    totals.some((total) => kinds.some((kind) => total[kind].orders > 0))
  return [
    'CHARGED is what confirmed orders cost, by the last invoice that orderctl read.',
    'The service does not report refunds.',
    ...(has('failed', 'partial') ? ['Parts of FAILED and PARTIAL may have been paid back.'] : []),
    ...(has('open') ? ['OPEN orders are not final yet.'] : []),
    ...(has('unknown') ? ['UNKNOWN orders may have been charged and are not part of CHARGED.'] : []),
    ...(has('unknown') ? [`Settle them: ${suggest`reconcile`}`] : []),
  ].join(' ')
}

type Count = 'orders' | 'cards' | 'delivered' | 'duplicates'

const toCountField = (count: Count, name = '', meaning = ''): ResultField<ReportRow> =>
  column(name, 'count', meaning, (row) => row[count], {
    ...{ title: count.toUpperCase(), csv: count, ...right, narrow: 'leave-out' },
    cell: (row) => (row[count] === 0 ? '' : String(row[count])),
  })

const toUnsuccessfulFields = (kind: UnsuccessfulKind): ResultFields<ReportRow> => [
  column(`${kind}OrderCount`, 'count', `the orders that are ${kind}`, (row) => row[kind].orders, {
    csv: `${kind}_orders`,
  }),
  column(`${kind}Charged`, 'amount', 'what they cost', (row) => row[kind].charged, {
    ...{ title: kind.toUpperCase(), csv: `${kind}_charged`, ...right },
    cell: ({ [kind]: { orders, charged }, currency }) =>
      orders === 0 ? '' : `${formatBareMoney(charged, currency)} (${orders})`,
  }),
]

const figureFields: ResultFields<ReportRow> = [
  column('currency', 'text', 'of the amounts', ({ currency }) => currency, { csv: 'currency' }),
  toCountField('orders', 'orderCount', 'the number of orders'),
  [
    'cardCounts',
    toCountFields('ordered', 'delivered', 'duplicate'),
    'how many cards they have',
    ({ cards: ordered, delivered, duplicates: duplicate }) => ({ ordered, delivered, duplicate }),
  ],
  toCountField('cards'),
  toCountField('delivered'),
  toCountField('duplicates'),
  column('charged', 'amount', 'what they cost', ({ charged }) => charged, {
    ...{ title: 'CHARGED', csv: 'charged', ...right },
    cell: ({ charged, currency }) => formatMoney(charged, currency),
  }),
  ...unsuccessfulKinds.flatMap(toUnsuccessfulFields),
]

/** An id is never broken, so that it can be copied. */
const toKeyColumn = (key: ReportKey, index: number): ResultField<ReportRow> =>
  column('', 'text', '', ({ keys }) => keys[index], {
    ...{ title: nameKey(key).toUpperCase(), csv: key },
    cell: ({ keys }) => keys[index] ?? (index === 0 ? 'Total' : ''),
    ...(key === 'order' || key === 'day' ? {} : { narrow: 'wrap', minWidth: 16 }),
  })

const listRowFields = (by: Report['by']): ResultFields<ReportRow> => [
  [
    'keys',
    'object',
    'the value of each --by, by its key',
    ({ keys }) => new Map(by.map((key, index) => [key, keys[index]])),
  ],
  ...by.map(toKeyColumn),
  ...figureFields,
]

export const listResultFields = (by: Report['by']): ResultFields<Report> => [
  ['startsAt', 'time', 'the first time of the period', ({ from }) => from],
  ['endsAt', 'time', 'the end of the period', ({ until }) => until],
  ['groupedBy', listOf('text'), 'the keys', () => by],
  ['rows', listOf(listRowFields(by)), 'the charges', ({ rows }) => rows],
  ['totals', listOf(figureFields), 'for each currency', ({ totals }) => totals],
]

export const renderReportCsv = (report: Report, output: { readonly isTerminal: boolean }): string =>
  renderResultsCsv(listRowFields(report.by), report.rows, output)

/** A table for each currency, on the screen and on the page. Leaves out empty columns. */
export const listTables = ({ by, rows, totals }: Report, view: View) =>
  totals.map((total) => {
    const own = rows.filter(({ currency }) => currency === total.currency)
    const shown = own.length > 1 ? [...own, total] : own
    const columns = listColumns(listRowFields(by), shown, view)
    const filled = columns.filter(([, read]) => shown.some((row, index) => read(row, index) !== ''))
    return { total, table: readTable(filled, shown) }
  })
