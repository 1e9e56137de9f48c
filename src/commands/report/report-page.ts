// A report for people: as one HTML file, a table with bars for each currency, which loads nothing and runs nothing; and on a
// terminal, a table for each currency.

import type { Report } from '../../contract/report/report.ts'
import { wrapProse } from '../../ui/terminal/text.ts'
import type { View } from '../../ui/terminal/view.ts'
import { formatMoney } from '../../ui/text/formats.ts'
import { renderHead, toHtml } from '../../ui/text/html.ts'
import { type Cell, type ColumnLayout, type readTable, renderTable } from '../../ui/text/table.ts'
import { describeAmounts, describePeriod, describeReport, listTables } from './report-data.ts'

const reportStyle = `
@page { margin: 15mm }
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --bar: #2563a8; --page: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa4af; --line: #3b434c; --bar: #6ca6e8; --page: #12161b }
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
.bar { color: var(--bar); font-family: ui-monospace, monospace }
tr:last-child td { font-weight: 700 }
@media (64rem < width < 75rem) { .bar { display: none } }
@media (max-width: 64rem) {
  thead { display: none }
  table, tbody, tr { display: block }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line) }
  td, .long { display: flex; width: auto; min-width: 0; white-space: normal; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0 }
  td:empty { display: none }
  td[data-label]::before { content: attr(data-label); color: var(--quiet); font-weight: 400 }
}
@media print {
  :root { color-scheme: light; --text: #000; --quiet: #333; --line: #999; --bar: #555; --page: #fff }
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
  if (title === '') return `<td class="bar" aria-hidden="true">${text}</td>`
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
