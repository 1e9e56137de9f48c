// A report on a terminal: a table with bars for each currency.
import type { Figures, Report, ReportKey, ReportRow } from '../../contract/report/report.ts'
import { safeLines } from '../../ui/terminal/sanitize.ts'
import { widthOf, wrapProse } from '../../ui/terminal/text-width.ts'
import type { View } from '../../ui/terminal/view.ts'
import { type Cell, type Column, renderTable } from '../../ui/text/table.ts'
import {
  describeAmounts,
  describePeriod,
  describeReport,
  listFigureColumns,
  listLines,
  nameKey,
  totalKeys,
} from './report-data.ts'

export const renderReport = (report: Report, view: View): string => {
  if (report.rows.length === 0) return ''
  const title = `${describeReport(report)}, ${describePeriod(report)}`
  const tables = [...report.totals].map(([currency, total]) =>
    renderCurrency(report, { currency, total }, view),
  )
  const lines = (text: string): string => `${wrapProse(text, view.width).join('\n')}\n`
  return [lines(view.theme.strong(title)), ...tables, lines(describeAmounts(report, view.suggest))].join('\n')
}

type Section = { readonly currency: string; readonly total: Figures }

const renderCurrency = (report: Report, { currency, total }: Section, view: View): string => {
  const { by } = report
  const lines = listLines(report, currency)
  const own = lines.filter(({ isSubtotal }) => !isSubtotal).map(({ row }) => row)
  const figures = listFigureColumns(total, currency, report.isItemised)
  const columns: Column[] = [
    ...by.map(
      (key): Column => ({ title: nameKey(key).toUpperCase(), narrow: findNarrow(report, key, view.width) }),
    ),
    ...figures.map(
      ({ title, isMinor }): Column => ({
        title: title.toUpperCase(),
        align: 'right',
        narrow: isMinor ? 'leave-out' : undefined,
      }),
    ),
  ]
  const toCells = (row: Figures, keys: readonly string[]): string[] => [
    ...keys,
    ...figures.map(({ read }) => read(row)),
  ]
  const body = lines.map(({ row, keys }) => toCells(row, keys))
  const sums = own.length > 1 ? [toCells(total, totalKeys(report))] : []
  const bars = report.isItemised
    ? undefined
    : drawBars(own, findBarWidth(columns, [...body, ...sums], view.width))
  const withBar = (cells: readonly Cell[], bar: Cell): Cell[] =>
    bars === undefined ? [...cells] : cells.toSpliced(by.length + 1, 0, bar)
  const toSum = (cells: readonly string[]): Cell[] =>
    withBar(
      cells.map((text) => ({ text, paint: view.theme.strong })),
      '',
    )
  const drawn = bars?.values()
  return renderTable(
    bars === undefined ? columns : columns.toSpliced(by.length + 1, 0, barColumn),
    [
      ...body.map((cells, index) =>
        lines[index]?.isSubtotal === true ? toSum(cells) : withBar(cells, drawn?.next().value ?? ''),
      ),
      ...sums.map(toSum),
    ],
    view,
  )
}

/** The width in columns of a usual item with its reference and its person. */
const itemWidth = 72

/** An id is never broken, so that it can be copied. */
const findNarrow = ({ isItemised }: Report, key: ReportKey, width: number): Column['narrow'] => {
  if (key === 'order' || key === 'day') return undefined
  const minor = width < itemWidth ? ['state', 'person', 'reference'] : ['state']
  return isItemised && minor.includes(key) ? 'leave-out' : 'wrap'
}

/** A table needs a title for each column. */
const barColumn: Column = { title: ' ' }

const gap = 2
const [leastBar, mostBar] = [8, 30]

/** What the other columns leave. Undefined if that is too little. */
const findBarWidth = (columns: readonly Column[], rows: readonly (readonly string[])[], width: number) => {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(safeLines(row[index] ?? '')))),
  )
  const left = width - widths.reduce((sum, each) => sum + each + gap, 0)
  return left < leastBar ? undefined : Math.min(left, mostBar)
}

/** From an eighth of a column to seven eighths. */
const parts = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Undefined if there is nothing to compare. */
const drawBars = (rows: readonly ReportRow[], width: number | undefined): string[] | undefined => {
  const amounts = rows.map(({ charged }) => Number(charged.toFixed()))
  const most = Math.max(...amounts)
  if (width === undefined || rows.length < 2 || !(most > 0)) return undefined
  return amounts.map((amount) => {
    const eighths = Math.round((Math.max(0, amount) / most) * width * 8)
    const bar = '█'.repeat(Math.floor(eighths / 8)) + (parts[eighths % 8] ?? '')
    // A small amount is not nothing.
    return bar === '' && amount > 0 ? '▏' : bar
  })
}
