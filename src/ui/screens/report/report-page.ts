// A report as one HTML file with charts. It loads nothing and runs nothing.
import { hash } from 'node:crypto'
import { doubtfulKinds, type Figures, type Report, type ReportRow } from '../../../contract/report/report.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { toHtml } from '../../text/html.ts'
import { formatBareMoney, formatMoney } from '../../text/money.ts'
import { renderChart } from './report-chart.ts'
import { reportStyle } from './report-style.ts'
import { describeAmounts, describeKeys, describePeriod, formatCount } from './report-text.ts'

/** Allows this style sheet only: no scripts, images, fonts or forms. */
const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', reportStyle, 'base64')}'; base-uri 'none'; form-action 'none'`

export function* renderReportPage(report: Report, suggest: Suggest): Generator<string> {
  const title = `Charged by ${describeKeys(report)}`
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="viewport" content="width=device-width">
<title>${toHtml(title)}</title>
<style>${reportStyle}</style>
</head>
<body>
<h1>${toHtml(title)}</h1>
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
  { by }: Report,
  rows: readonly ReportRow[],
  { currency, total }: Section,
): Generator<string> {
  const kinds = doubtfulKinds.filter((kind) => total[kind].orders > 0)
  const hasDuplicates = total.duplicates > 0
  const heads = ['charged', 'orders', 'cards', 'delivered', ...(hasDuplicates ? ['duplicate'] : []), ...kinds]
  const toCells = (figures: Figures): string[] => [
    formatMoney(figures.charged, currency),
    ...[figures.orders, figures.cards, figures.delivered].map(formatCount),
    ...(hasDuplicates ? [formatCount(figures.duplicates)] : []),
    ...kinds.map((kind) =>
      figures[kind].orders === 0
        ? ''
        : `${formatBareMoney(figures[kind].charged, currency)} (${formatCount(figures[kind].orders)})`,
    ),
  ]
  const renderRow = (keys: readonly string[], figures: Figures): string =>
    `<tr>${keys.map((key) => `<td>${toHtml(key)}</td>`).join('')}${toCells(figures)
      .map((cell) => `<td class="number">${toHtml(cell)}</td>`)
      .join('')}</tr>\n`
  yield `<div class="wide"><table>
<thead><tr>${by.map((key) => `<th>${toHtml(key)}</th>`).join('')}${heads
    .map((head) => `<th class="number">${head}</th>`)
    .join('')}</tr></thead>
<tbody>
`
  for (const row of rows) yield renderRow(row.keys, row)
  yield `</tbody>
<tfoot>${renderRow(['Total', ...by.slice(1).map(() => '')], total)}</tfoot>
</table></div>
`
}
