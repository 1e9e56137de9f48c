// The steps of `orderctl report`: period → file → the journal's groups of orders → report → printed or written. Then the
// report for people: a table for each currency, on a terminal or in one HTML file, which loads nothing and runs nothing. Its rows
// are a described result: JSON, CSV, the table and the page are made from it.

import { findListedAccount } from '../../app/account.ts'
import { journalsOf } from '../../app/journals.ts'
import {
  chooseSandbox,
  findListedBatches,
  noteHidden,
  refuseUnknownProfile,
} from '../../app/listed-orders.ts'
import { stageFile } from '../../app/staged-file.ts'
import { writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import {
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
  type UnsuccessfulKind,
  unsuccessfulKinds,
} from '../../contract/report.ts'
import { dayMs, findPeriod, formatUtcDay } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import { isSameColumn, listBatchColumns, readChargeGroups } from '../../journal/charge-groups.ts'
import type { Journal } from '../../journal/journal.ts'
import { buildReport } from '../../operations/build-report.ts'
import type { Suggest } from '../../text/suggest.ts'
import { toCountFields } from '../../ui/screens/orders.ts'
import { sanitize, wrapProse } from '../../ui/terminal/text.ts'
import { type View, viewOf } from '../../ui/terminal/view.ts'
import { formatBareMoney, formatMoney } from '../../ui/text/formats.ts'
import { renderHead, toHtml } from '../../ui/text/html.ts'
import {
  column,
  listColumns,
  listOf,
  type ResultField,
  type ResultFields,
  readFields,
  renderJson,
  renderResultsCsv,
} from '../../ui/text/result-fields.ts'
import { type Cell, type ColumnLayout, readTable, renderTable, right } from '../../ui/text/table.ts'
import type { ReportOptions } from './spec.ts'

export const report = async (context: Context, options: ReportOptions): Promise<void> => {
  const { html, force, csv, json } = options
  const file = html === undefined ? undefined : stageFile(context, html, { field: '--html', force })
  try {
    const made = await readReport(context, options)
    printNotes(context, made)
    if (file !== undefined) {
      await file.keep(renderReportPage(made, viewOf(context)))
      writeNote(context, `Wrote ${sanitize(html ?? '')}\n`)
    } else if (json || csv) {
      context.stdout.write(
        json
          ? renderJson(readFields(listResultFields(made.by), made))
          : renderReportCsv(made, context.stdout),
      )
    } else {
      context.stdout.write(renderReport(made, viewOf(context)))
    }
  } finally {
    file?.discard()
  }
}

const readReport = async (context: Context, options: ReportOptions): Promise<Report> => {
  const { since, until, profile, batch, unrevealed: isUnrevealed } = options
  const by: readonly ReportKey[] = options.by.length === 0 ? ['month'] : options.by
  const now = context.clock.now()
  const end = until === undefined ? now : until.until - 1
  const from = since?.from ?? (batch === undefined ? findDefaultStart(by, end) : 0)
  await using journals = journalsOf(context, await findListedAccount(context, profile))
  const journal = await journals.openExisting()
  await refuseUnknownColumns(journal, by)
  // By the service's time, which may be ahead of this machine.
  const batches = await findListedBatches(journal, options)
  const selected = {
    profile,
    batches,
    isSandbox: await chooseSandbox(context, journal, { profile, batches }),
  }
  const query = { ...selected, by, from, until: until?.until ?? Number.MAX_SAFE_INTEGER, isUnrevealed }
  const groups = await readChargeGroups(journal.read, query)
  const isEmpty = groups.length === 0
  if (isEmpty) await refuseUnknownProfile(context, journal, profile)
  if (!options.json && !options.csv) await noteHidden(context, journal, selected, { by: 'report', isEmpty })
  return buildReport(groups, { by, from, until: Math.min(query.until, now + 1) })
}

/** A mistyped column would report everything as '(none)'. */
const refuseUnknownColumns = async (journal: Journal, by: readonly ReportKey[]): Promise<void> => {
  const names = by.map(readColumnKey).filter((name) => name !== undefined)
  if (names.length === 0) return
  const columns = await listBatchColumns(journal.read)
  const missing = names.find((name) => !columns.some((column) => isSameColumn(column, name)))
  if (missing === undefined) return
  throw new Failure('usage', `no batch in this journal has a column '${missing}'`, {
    field: '--by',
    advice:
      columns.length === 0
        ? 'No batch has columns next to those of its products.'
        : `Use a column of a batch: ${columns.map((column) => `'${column}'`).join(', ')}`,
  })
}

const printNotes = (context: Context, { rows, unpriced }: Report): void => {
  if (rows.length === 0) writeNote(context, 'No charged orders in this period\n')
  if (unpriced > 0) context.stderr.warn(`the journal has no amount for ${unpriced} of these orders`)
}

/** Whole months, so that they can be compared. */
const findDefaultStart = (by: readonly ReportKey[], end: number): number => {
  const date = new Date(end)
  if (by.includes('month')) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 11)
  return findPeriod('day', end - 30 * dayMs).from
}

const reportStyle = `
@page { margin: 15mm }
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --page: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa4af; --line: #3b434c; --page: #12161b }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 75rem; padding: 1.5rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "Noto Sans", Arial, sans-serif }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line) }
p { margin: .25rem 0; color: var(--quiet) }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap }
th { color: var(--quiet); font-weight: 600 }
.number { text-align: right }
.long { white-space: normal; overflow-wrap: anywhere; min-width: 12rem }
tr:last-child td { font-weight: 700 }
@media (max-width: 64rem) {
  thead { display: none }
  table, tbody, tr { display: block }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line) }
  td, .long { display: flex; width: auto; min-width: 0; white-space: normal; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0 }
  td:empty { display: none }
  td[data-label]::before { content: attr(data-label); color: var(--quiet); font-weight: 400 }
}
@media print {
  :root { color-scheme: light; --text: #000; --quiet: #333; --line: #999; --page: #fff }
  body { max-width: none; padding: 0; font-size: 10pt }
  tr { break-inside: avoid }
  h2 { break-after: avoid }
}
`

export function* renderReportPage(report: Report, view: View): Generator<string> {
  const title = describeReport(report)
  yield `${renderHead(title, reportStyle)}<h1>${toHtml(title)}</h1>
<p>${toHtml(describePeriod(report))}</p>
`
  if (report.rows.length === 0) yield '<p>No charged orders in this period.</p>\n'
  for (const { total, table } of listTables(report, view)) {
    yield `<h2>${toHtml(formatMoney(total.charged, total.currency))}</h2>\n`
    yield* renderHtmlTable(table)
  }
  yield `<p>${toHtml(describeAmounts(report, view.suggest))}</p>
</body>
</html>
`
}

function* renderHtmlTable([columns, rows]: ReturnType<typeof readTable>): Generator<string> {
  const heads = columns.map(({ title, ...column }) => `<th${classOf(title, column)}>${toHtml(title)}</th>`)
  yield `<table>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
`
  for (const cells of rows)
    yield `<tr>${columns.map((column, index) => renderCell(column, cells[index] ?? '')).join('')}</tr>\n`
  yield '</tbody>\n</table>\n'
}

/** Only a long text may be wrapped: an id, a date or a title is never broken. */
const classOf = (text: string, { align }: Pick<ColumnLayout, 'align'>): string => {
  if (align === 'right') return ' class="number"'
  return text.length > 24 ? ' class="long"' : ''
}

const renderCell = (column: ColumnLayout, cell: Cell): string => {
  const text = typeof cell === 'string' ? cell : cell.text
  const { title } = column
  const label = text === '' ? '' : ` data-label="${toHtml(title)}"`
  return `<td${classOf(text, column)}${label}>${toHtml(text)}</td>`
}

export const renderReport = (report: Report, view: View): string => {
  if (report.rows.length === 0) return ''
  const title = `${describeReport(report)}, ${describePeriod(report)}`
  const lines = (text: string): string => `${wrapProse(text, view.width).join('\n')}\n`
  const tables = listTables(report, view).map(({ table }) => renderTable(...table, view))
  return [lines(view.theme.strong(title)), ...tables, lines(describeAmounts(report, view.suggest))].join('\n')
}

const describePeriod = ({ from, until }: Report): string =>
  `${from === 0 ? 'up' : formatUtcDay(from)} to ${formatUtcDay(until - 1)} (UTC)`

const describeReport = ({ by }: Report): string => `Charged by ${by.map(nameKey).join(', ')}`

const nameKey = (key: ReportKey): string => readColumnKey(key) ?? key

/** What the amounts mean. */
const describeAmounts = ({ totals }: Report, suggest: Suggest): string => {
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

const renderReportCsv = (report: Report, output: { readonly isTerminal: boolean }): string =>
  renderResultsCsv(listRowFields(report.by), report.rows, output)

/** A table for each currency, on the screen and on the page. Leaves out empty columns. */
const listTables = ({ by, rows, totals }: Report, view: View) =>
  totals.map((total) => {
    const own = rows.filter(({ currency }) => currency === total.currency)
    const shown = own.length > 1 ? [...own, total] : own
    const columns = listColumns(listRowFields(by), shown, view)
    const filled = columns.filter(([, read]) => shown.some((row, index) => read(row, index) !== ''))
    return { total, table: readTable(filled, shown) }
  })
