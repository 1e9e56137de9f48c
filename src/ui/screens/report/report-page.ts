// A report as one HTML file with charts. It loads nothing and runs nothing.
import type { Figures, Report, ReportRow } from '../../../contract/report/report.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { cutText, widthOf } from '../../terminal/text-width.ts'
import { formatMoney } from '../../text/amounts.ts'
import { renderHead, toHtml } from '../../text/html.ts'
import {
  describeAmounts,
  describeKeys,
  describePeriod,
  joinKeys,
  listFigureColumns,
  totalKeys,
} from './report-data.ts'

const reportStyle = `
@page { margin: 15mm }
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --bar: #2563a8; --page: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa4af; --line: #3b434c; --bar: #6ca6e8; --page: #12161b }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "Noto Sans", Arial, sans-serif }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line) }
p { margin: .25rem 0; color: var(--quiet) }
svg { display: block; width: 100%; height: auto; font: 13px system-ui, "Noto Sans", Arial, sans-serif }
svg rect { fill: var(--bar) }
svg text { fill: var(--text) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word }
th:not(.number), td:not(.number) { min-width: 6.5rem; max-width: 24rem }
th { color: var(--quiet); font-weight: 600 }
.number { text-align: right; white-space: nowrap }
tfoot td { font-weight: 700 }
@media print {
  :root { color-scheme: light; --text: #000; --quiet: #333; --line: #999; --bar: #555; --page: #fff }
  body { max-width: none; padding: 0; font-size: 10pt }
  svg rect { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .wide { overflow: visible }
  tr, svg { break-inside: avoid }
  h2 { break-after: avoid }
}
`

export function* renderReportPage(report: Report, suggest: Suggest): Generator<string> {
  const title = `Charged by ${describeKeys(report)}`
  yield `${renderHead(title, reportStyle)}<h1>${toHtml(title)}</h1>
<p>${toHtml(describePeriod(report))}</p>
`
  if (report.rows.length === 0) yield '<p>No charged orders in this period.</p>\n'
  for (const [currency, total] of report.totals) {
    const rows = report.rows.filter((row) => row.currency === currency)
    yield `<h2>${toHtml(formatMoney(total.charged, currency))}</h2>\n`
    yield renderChart(rows)
    yield* renderRows(report, rows, { currency, total })
  }
  yield `<p>${toHtml(describeAmounts(report, suggest))}</p>
</body>
</html>
`
}

type Section = { readonly currency: string; readonly total: Figures }

function* renderRows(
  report: Report,
  rows: readonly ReportRow[],
  { currency, total }: Section,
): Generator<string> {
  const columns = listFigureColumns(total, currency)
  const renderRow = (keys: readonly string[], figures: Figures): string => {
    const cells = columns.map(({ read }) => `<td class="number">${toHtml(read(figures))}</td>`)
    return `<tr>${keys.map((key) => `<td>${toHtml(key)}</td>`).join('')}${cells.join('')}</tr>\n`
  }
  const heads = columns.map(({ title }) => `<th class="number">${title}</th>`)
  yield `<div class="wide"><table>
<thead><tr>${report.by.map((key) => `<th>${toHtml(key)}</th>`).join('')}${heads.join('')}</tr></thead>
<tbody>
`
  for (const row of rows) yield renderRow(row.keys, row)
  yield `</tbody>
<tfoot>${renderRow(totalKeys(report), total)}</tfoot>
</table></div>
`
}

/** The table below the chart has all rows. */
const maxBars = 60

const width = 900
const lineHeight = 24
const amountWidth = 150
const labelLength = 30
const characterWidth = 8

const renderChart = (rows: readonly ReportRow[]): string => {
  const shown = rows.slice(0, maxBars)
  const amounts = shown.map(({ charged }) => Number(charged.toFixed()))
  const most = Math.max(...amounts)
  if (!(most > 0)) return ''
  const labels = shown.map(({ keys }) => cutText(joinKeys(keys).replaceAll('\n', ' '), labelLength))
  const labelWidth = Math.max(...labels.map(widthOf)) * characterWidth + 12
  const barWidth = width - labelWidth - amountWidth
  const bars = shown.map(({ charged, currency }, index) => {
    const length = Math.round((Math.max(0, amounts[index] ?? 0) / most) * barWidth)
    const middle = index * lineHeight + lineHeight / 2
    return `<text x="0" y="${middle}" dominant-baseline="central">${toHtml(labels[index] ?? '')}</text>
<rect x="${labelWidth}" y="${middle - 8}" width="${length}" height="16" rx="2"/>
<text x="${labelWidth + length + 8}" y="${middle}" dominant-baseline="central">${toHtml(formatMoney(charged, currency))}</text>
`
  })
  const more =
    rows.length > shown.length ? `<p>The chart has the first ${maxBars} of ${rows.length} rows.</p>\n` : ''
  return `<svg viewBox="0 0 ${width} ${shown.length * lineHeight}" role="img" aria-label="Bars of the amounts in the table below">
${bars.join('')}</svg>
${more}`
}
