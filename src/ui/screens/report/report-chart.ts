// The chart of a report: one horizontal bar for each row, as SVG.
import type { ReportRow } from '../../../contract/report/report.ts'
import { cutText, widthOf } from '../../terminal/text-width.ts'
import { toHtml } from '../../text/html.ts'
import { formatMoney } from '../../text/money.ts'
import { joinKeys } from './report-text.ts'

/** The table below the chart has all rows. */
const maxBars = 60

const width = 900
const lineHeight = 24
const amountWidth = 150
const labelLength = 30
const characterWidth = 8

export const renderChart = (rows: readonly ReportRow[]): string => {
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
