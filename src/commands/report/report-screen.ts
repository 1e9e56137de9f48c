// A report on a terminal: a table for each currency.
import type { Report } from '../../contract/report/report.ts'
import { wrapProse } from '../../ui/terminal/text-width.ts'
import type { View } from '../../ui/terminal/view.ts'
import { renderTable } from '../../ui/text/table.ts'
import { describeAmounts, describePeriod, describeReport, listTables } from './report-data.ts'

export const renderReport = (report: Report, view: View): string => {
  if (report.rows.length === 0) return ''
  const title = `${describeReport(report)}, ${describePeriod(report)}`
  const lines = (text: string): string => `${wrapProse(text, view.width).join('\n')}\n`
  const tables = listTables(report, view).map(({ table }) => renderTable(...table, view))
  return [lines(view.theme.strong(title)), ...tables, lines(describeAmounts(report, view.suggest))].join('\n')
}
