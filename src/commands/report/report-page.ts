// A report as one HTML file: a table with bars for each currency. It loads nothing and runs nothing.
import type { Figures, Report } from '../../contract/report/report.ts'
import type { Suggest } from '../../text/suggest.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { renderHead, toHtml } from '../../ui/text/html.ts'
import {
  describeAmounts,
  describePeriod,
  describeReport,
  listFigureColumns,
  listLines,
  nameKey,
  totalKeys,
} from './report-data.ts'

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
svg { display: block; width: 100%; height: .9rem; fill: var(--bar) }
.bar { width: 20%; vertical-align: middle }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap }
th { color: var(--quiet); font-weight: 600 }
.number { text-align: right }
.long { white-space: normal; overflow-wrap: anywhere; min-width: 12rem }
tfoot td, .sum td { font-weight: 700 }
@media (max-width: 64rem) {
  thead { display: none }
  table, tbody, tfoot, tr { display: block }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line) }
  td, .bar, .long { display: flex; width: auto; min-width: 0; white-space: normal; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0 }
  td:empty { display: none }
  td[data-label]::before { content: attr(data-label); color: var(--quiet); font-weight: 400 }
}
@media print {
  :root { color-scheme: light; --text: #000; --quiet: #333; --line: #999; --bar: #555; --page: #fff }
  body { max-width: none; padding: 0; font-size: 10pt }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  tr { break-inside: avoid }
  h2 { break-after: avoid }
}
`

export function* renderReportPage(report: Report, suggest: Suggest): Generator<string> {
  const title = describeReport(report)
  yield `${renderHead(title, reportStyle)}<h1>${toHtml(title)}</h1>
<p>${toHtml(describePeriod(report))}</p>
`
  if (report.rows.length === 0) yield '<p>No charged orders in this period.</p>\n'
  for (const [currency, total] of report.totals) {
    yield `<h2>${toHtml(formatMoney(total.charged, currency))}</h2>\n`
    yield* renderRows(report, { currency, total })
  }
  yield `<p>${toHtml(describeAmounts(report, suggest))}</p>
</body>
</html>
`
}

type Section = { readonly currency: string; readonly total: Figures }

function* renderRows(report: Report, { currency, total }: Section): Generator<string> {
  const lines = listLines(report, currency)
  const rows = lines.filter(({ isSubtotal }) => !isSubtotal).map(({ row }) => row)
  const columns = listFigureColumns(total, currency, report.isItemised)
  const most = Math.max(...rows.map(toNumber))
  const hasBars = !report.isItemised && rows.length > 1 && most > 0
  const renderCell = (label: string, text: string, kind = kindOf(text)): string =>
    text === '' ? `<td${kind}></td>` : `<td${kind} data-label="${toHtml(label)}">${toHtml(text)}</td>`
  const renderRow = (keys: readonly string[], figures: Figures, bar = '', tag = '<tr>'): string => {
    const [charged = '', ...others] = columns.map(({ title, read }) =>
      renderCell(title, read(figures), ' class="number"'),
    )
    const names = keys.map((key, index) => renderCell(report.by.map(nameKey)[index] ?? '', key))
    const drawn = hasBars ? [`<td class="bar">${bar}</td>`] : []
    return `${tag}${[...names, charged, ...drawn, ...others].join('')}</tr>\n`
  }
  const [charged = '', ...others] = columns.map(({ title }) => `<th class="number">${title}</th>`)
  const names = report.by.map((key) => `<th${kindOf(nameKey(key))}>${toHtml(nameKey(key))}</th>`)
  const heads = [...names, charged, ...(hasBars ? ['<td class="bar"></td>'] : []), ...others]
  yield `<table>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
`
  for (const { keys, row, isSubtotal } of lines) {
    const bar = isSubtotal ? '' : renderBar(Math.max(0, toNumber(row)) / most)
    yield renderRow(keys, row, bar, isSubtotal ? '<tr class="sum">' : '<tr>')
  }
  yield `</tbody>
<tfoot>${renderRow(totalKeys(report), total)}</tfoot>
</table>
`
}

/** Only a long text may be wrapped: an id, a date or a title is never broken. */
const kindOf = (text: string): string => (text.length > 24 ? ' class="long"' : '')

const toNumber = ({ charged }: Figures): number => Number(charged.toFixed())

/** An attribute sets the width, because the policy allows no style of an element. */
const renderBar = (share: number): string =>
  `<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${(share * 100).toFixed(1)}" height="1"/></svg>`
