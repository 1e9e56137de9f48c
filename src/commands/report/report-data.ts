// The words of a report, and its rows as a described result: JSON, CSV, the table and the page are made from it.

import { writeJson } from '../../contract/json.ts'
import {
  type Charge,
  type DoubtfulKind,
  doubtfulKinds,
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
  reportKeys,
} from '../../contract/report/report.ts'
import { formatUtcDay } from '../../contract/time.ts'
import type { Suggest } from '../../text/suggest.ts'
import { renderResultsCsv } from '../../ui/cards/csv.ts'
import { actorFields, toCountFields } from '../../ui/screens/orders.ts'
import { sanitizeJson } from '../../ui/terminal/text.ts'
import type { View } from '../../ui/terminal/view.ts'
import { formatBareMoney, formatMoney } from '../../ui/text/formats.ts'
import {
  column,
  listColumns,
  listOf,
  type ResultField,
  type ResultFields,
  readFields,
} from '../../ui/text/result-fields.ts'
import { type ColumnLayout, type ColumnsOf, readTable, right } from '../../ui/text/table.ts'

export const describePeriod = ({ from, until }: Report): string =>
  `${from === 0 ? 'up' : formatUtcDay(from)} to ${formatUtcDay(until - 1)} (UTC)`

export const describeReport = ({ by, isItemised }: Report): string =>
  isItemised ? 'Charged orders' : `Charged by ${by.map(nameKey).join(', ')}`

const nameKey = (key: ReportKey): string => readColumnKey(key) ?? key

/** What the amounts mean. */
export const describeAmounts = ({ totals }: Report, suggest: Suggest): string => {
  const has = (...kinds: readonly DoubtfulKind[]): boolean =>
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

const minor = { ...right, narrow: 'leave-out' } as const

const showCount = (count: number): string => (count === 0 ? '' : String(count))

const toCountColumn = (name: 'cards' | 'delivered' | 'duplicates'): ResultField<ReportRow> => [
  '',
  'count',
  '',
  (row) => row[name],
  { title: name.toUpperCase(), csv: name, cell: (row) => showCount(row[name]), ...minor },
]

const countsOf = (...names: readonly string[]): ResultField<ReportRow> => [
  'cardCounts',
  toCountFields(...names),
  'how many cards they have',
  ({ cards: ordered, delivered, duplicates: duplicate }) => ({ ordered, delivered, duplicate }),
]

const charged: ResultField<ReportRow> = [
  'charged',
  'amount',
  'what they cost',
  (row) => row.charged,
  { title: 'CHARGED', csv: 'charged', cell: (row) => formatMoney(row.charged, row.currency), ...right },
]

const chargeFields: ResultFields<Charge> = [
  ['orderCount', 'count', 'the number of orders', ({ orders }) => orders],
  ['charged', 'amount', 'what they cost', (charge) => charge.charged],
]

const toDoubtfulField = (kind: DoubtfulKind): ResultField<ReportRow> => [
  `${kind}Charge`,
  chargeFields,
  `the orders that are ${kind}`,
  (row) => row[kind],
  { title: kind.toUpperCase(), cell: (row) => showDoubtful(row[kind], row), ...right },
]

const showDoubtful = ({ orders, charged }: Charge, { currency }: ReportRow): string =>
  orders === 0 ? '' : `${formatBareMoney(charged, currency)} (${orders})`

const figureFields: ResultFields<ReportRow> = [
  column('orderCount', 'count', 'the number of orders', ({ orders }) => orders, {
    title: 'ORDERS',
    csv: 'orders',
    cell: ({ orders }) => showCount(orders),
    ...minor,
  }),
  countsOf('ordered', 'delivered', 'duplicate'),
  ...(['cards', 'delivered', 'duplicates'] as const).map(toCountColumn),
  charged,
  ...doubtfulKinds.map(toDoubtfulField),
]

const currency: ResultField<ReportRow> = [
  'currency',
  'text',
  'of the amounts',
  (row) => row.currency,
  { csv: 'currency' },
]

/** JSON has the name that the value has in an order. */
const namesInJson = new Map<ReportKey, string>([
  ['order', 'orderId'],
  ['product', 'sku'],
  ['batch', 'batchName'],
])

type Keyed = Pick<Report, 'by' | 'isItemised' | 'people'>

/** The fields of a row, or of an item: the same in JSON, whatever the keys of the report are. */
const listReportFields = ({ by, isItemised, people }: Keyed): ResultFields<ReportRow> => [
  ...by.map(
    (key, index): ResultField<ReportRow> => [
      ...(['', 'text', '', ({ keys }: ReportRow) => keys[index]] as const),
      {
        title: nameKey(key).toUpperCase(),
        csv: key,
        cell: ({ keys }) => keys[index] ?? (index === keys.length ? nameSum(index) : ''),
        ...layOutKey(key, isItemised),
      },
    ],
  ),
  ...reportKeys.map((key): ResultField<ReportRow> => {
    const readText = ({ keys }: ReportRow): string | undefined => keys[by.indexOf(key)]
    if (key !== 'person') return [namesInJson.get(key) ?? key, 'text', `with --by ${key}`, readText]
    return ['by', actorFields, 'with --by person', (row) => people.get(readText(row) ?? '')]
  }),
  ['cells', 'object', 'with --by column:NAME, the values by name', ({ keys }) => listCells(by, keys)],
  currency,
  ...(isItemised ? [countsOf('ordered'), toCountColumn('cards'), charged] : figureFields),
]

const listCells = (by: Report['by'], keys: ReportRow['keys']): ReadonlyMap<string, string> =>
  new Map(
    keys.flatMap((value, index) => {
      const column = readColumnKey(by[index] ?? '')
      return column === undefined ? [] : [[column, value] as const]
    }),
  )

/** An id is never broken, so that it can be copied. */
const layOutKey = (key: ReportKey, isItemised = false): Omit<ColumnLayout, 'title'> => {
  if (key === 'order' || key === 'day') return {}
  const isMinor = isItemised && (key === 'state' || key === 'person')
  return isMinor ? { narrow: 'leave-out' } : { narrow: 'wrap', minWidth: 16 }
}

const nameSum = (keys: number): string => (keys === 0 ? 'Total' : 'Subtotal')

export const listResultFields = (report: Keyed): ResultFields<Report> => {
  const rowType = listOf(listReportFields(report))
  return [
    ['startsAt', 'time', 'the first time of the period', ({ from }) => from],
    ['endsAt', 'time', 'the end of the period', ({ until }) => until],
    ['groupedBy', listOf('text'), 'the keys', ({ by }) => by],
    ...(report.isItemised
      ? [['items', rowType, 'the charges', ({ rows }) => rows] satisfies ResultField<Report>]
      : [
          ['rows', rowType, 'the charges', ({ rows }) => rows] satisfies ResultField<Report>,
          [
            'subtotals',
            rowType,
            'of each first key, if there are several',
            (all) => all.subtotals,
          ] satisfies ResultField<Report>,
        ]),
    ['totals', listOf([currency, ...figureFields]), 'for each currency', ({ totals }) => totals],
  ]
}

export const renderReportJson = (report: Report): string =>
  `${sanitizeJson(writeJson(readFields(listResultFields(report), report), 2))}
`

/** CSV has a column for each number. */
const doubtfulColumns = doubtfulKinds.flatMap(
  (kind): ResultFields<ReportRow> => [
    ['', 'count', '', (row) => row[kind].orders, { csv: `${kind}_orders` }],
    ['', 'amount', '', (row) => row[kind].charged, { csv: `${kind}_charged` }],
  ],
)

export const renderReportCsv = (report: Report, output: { readonly isTerminal: boolean }): string => {
  const doubtful = report.isItemised ? [] : doubtfulColumns
  return renderResultsCsv([...listReportFields(report), ...doubtful], report.rows, output)
}

/** A table for each currency, on the screen and on the page. Leaves out empty columns. */
export const listTables = (report: Report, view: View) =>
  report.totals.map((total) => {
    const rows = listWithSums(report, total)
    const isBarred = ({ keys }: ReportRow): boolean => !report.isItemised && keys.length === report.by.length
    const most = rows.filter(isBarred).reduce((largest, row) => Math.max(largest, toNumber(row)), 0)
    const hasBars = rows.length > 1 && most > 0
    const drawRow = (row: ReportRow): string =>
      hasBars && isBarred(row) ? drawBar(toNumber(row) / most) : ''
    const columns: ColumnsOf<ReportRow> = [
      ...listColumns(listReportFields(report), rows, view),
      ['', drawRow, { narrow: 'leave-out' }],
    ]
    const filled = columns.filter(([, read]) => rows.some((row, index) => read(row, index) !== ''))
    return { total, table: readTable(filled, rows) }
  })

const toNumber = ({ charged }: ReportRow): number => Number(charged.toFixed())

const barWidth = 20

/** From an eighth of a column to seven eighths. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A small amount is not nothing. */
const drawBar = (share: number): string => {
  const length = Math.ceil(Math.max(0, share) * barWidth * eighths.length)
  return '█'.repeat(Math.floor(length / eighths.length)) + (eighths[length % eighths.length] ?? '')
}

/** The rows of a currency. A subtotal follows the rows of each value of the first key, if there are several. */
const listWithSums = ({ rows, subtotals }: Report, total: ReportRow): ReportRow[] => {
  const ofCurrency = ({ currency }: ReportRow): boolean => currency === total.currency
  const groups = Map.groupBy(rows.filter(ofCurrency), ({ keys }) => keys[0])
  const sums = Map.groupBy(subtotals.filter(ofCurrency), ({ keys }) => keys[0])
  const all = [...groups].flatMap(([first, own]) =>
    own.length > 1 && groups.size > 1 ? [...own, ...(sums.get(first) ?? [])] : own,
  )
  return all.length > 1 ? [...all, total] : all
}
