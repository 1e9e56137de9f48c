// Tables that fit the terminal: texts are wrapped or cut, numbers and codes are never broken.
import { createRequire } from 'node:module'
import type CliTable from 'cli-table3'
import { safeLines } from '../terminal/sanitize.ts'
import { cutText, widthOf, wrapCell } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'

const require = createRequire(import.meta.url)

/** Loaded for the first table, because JSON needs none. */
export const loadTable = () => require('cli-table3') as typeof CliTable

export type Column = {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** How the column gives way on a narrow terminal. Without it, the column keeps its width. */
  readonly narrow?: 'wrap' | 'cut' | 'leave-out'
  /** The least width of a column that is wrapped or cut (default: 10). */
  readonly minWidth?: number
}

type Paint = (text: string) => string

/** Unsafe text: the table makes it safe before it paints it. */
export type Cell = string | { readonly text: string; readonly paint: Paint }

const gap = 2
const defaultMinWidth = 10
const keepText: Paint = (text) => text

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
    [side, ''],
    ...['left', 'mid', 'right'].map((end) => [`${side}-${end}`, '']),
  ]),
)
const rule = { mid: '─', 'mid-mid': '─' }

const readText = (cell: Cell): string => safeLines(typeof cell === 'string' ? cell : cell.text)
const readPaint = (cell: Cell): Paint => (typeof cell === 'string' ? keepText : cell.paint)

/** The widths of the columns; undefined if the table does not fit. */
const computeWidths = (columns: readonly Column[], rows: readonly string[][], width: number) => {
  const widths = columns.map(({ title }, index) =>
    rows
      .flatMap((row) => (row[index] ?? '').split('\n'))
      .reduce((widest, line) => Math.max(widest, widthOf(line)), widthOf(title)),
  )
  const minWidths = columns.map(({ title, narrow, minWidth = defaultMinWidth }, index) =>
    narrow !== 'wrap' && narrow !== 'cut'
      ? (widths[index] ?? 0)
      : Math.min(widths[index] ?? 0, Math.max(widthOf(title), minWidth)),
  )
  const excess = () => widths.reduce((all, each) => all + each + gap, -gap) - width
  while (excess() > 0) {
    const slack = widths.map((each, index) => (each > (minWidths[index] ?? 0) ? each : 0))
    const widest = slack.indexOf(Math.max(...slack))
    if (slack[widest] === 0) return undefined
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const fitText = (text: string, { narrow }: Column, width: number): string[] =>
  narrow === 'wrap'
    ? wrapCell(text, width)
    : text.split('\n').map((line) => (narrow === 'cut' ? cutText(line, width) : line))

const renderBlocks = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, theme }: View,
): string =>
  rows
    .map((row) =>
      columns
        .flatMap((column, index) => {
          const cell = row[index] ?? ''
          const [first = '', ...others] = fitText(
            readText(cell),
            { ...column, narrow: column.narrow && 'wrap' },
            Math.max(defaultMinWidth, width - column.title.length - 2),
          ).map((line) => (line === '' ? '' : readPaint(cell)(line)))
          if (first === '' && others.length === 0) return []
          return [
            `${theme.quiet(`${column.title.toLowerCase()}:`)} ${first}`,
            ...others.map((line) => `  ${line}`),
          ]
        })
        .map((line) => `${line}\n`)
        .join(''),
    )
    .join('\n')

// cli-table3 lays out placeholders of the right width, which the texts replace afterwards. It measures with an old
// string-width that counts combining marks as columns: 13 for 'नमस्ते दुनिया', which has 10.
const placeholder = '\ue000'
// cli-table3 compares each row with all others: 10,000 rows took 8 s.
const rowsPerPart = 100

export const fitsTable = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): boolean =>
  computeWidths(
    columns,
    rows.map((row) => row.map(readText)),
    width,
  ) !== undefined

/** A table, or blocks of `key: value` if a table does not fit. */
export const renderTable = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  view: View,
): string => {
  const all = columns.map((_, index) => index)
  const kept = all.filter((index) => columns[index]?.narrow !== 'leave-out')
  return (
    tryTable(columns, rows, all, view) ??
    tryTable(columns, rows, kept, view) ??
    renderBlocks(columns, rows, view)
  )
}

const tryTable = (
  allColumns: readonly Column[],
  allRows: readonly (readonly Cell[])[],
  kept: readonly number[],
  { theme, width }: View,
): string | undefined => {
  const columns = kept.map((index) => allColumns[index] ?? { title: '' })
  const rows = allRows.map((row) => kept.map((index) => row[index] ?? ''))
  const widths = computeWidths(
    columns,
    rows.map((row) => row.map(readText)),
    width,
  )
  if (widths === undefined) return undefined
  const texts: string[] = columns.map(({ title }) => theme.quiet(title))
  const placeholders = rows.map((row) => {
    const cells = columns.map((column, index) => {
      const cell = row[index] ?? ''
      return { lines: fitText(readText(cell), column, widths[index] ?? 0), paint: readPaint(cell) }
    })
    const height = Math.max(...cells.map(({ lines }) => lines.length))
    for (let line = 0; line < height; line += 1) {
      for (const { lines, paint } of cells) {
        const text = lines[line] ?? ''
        if (widthOf(text) > 0) texts.push(paint(text))
      }
    }
    return cells.map(({ lines }) => lines.map(toPlaceholder).join('\n'))
  })
  const head = columns.map(({ title }) => toPlaceholder(title))
  const parts = [layOut(columns, widths, head, placeholders.slice(0, rowsPerPart))]
  for (let at = rowsPerPart; at < placeholders.length; at += rowsPerPart)
    parts.push(layOut(columns, widths, [], placeholders.slice(at, at + rowsPerPart)))
  let next = 0
  return `${parts
    .join('\n')
    .split('\n')
    .map((line) => (/^─+$/.test(line) ? theme.quiet(line.slice(0, -1)) : line.trimEnd()))
    .join('\n')
    .replace(/\ue000+/g, () => texts[next++] ?? '')}\n`
}

const toPlaceholder = (text: string): string => placeholder.repeat(widthOf(text))

const layOut = (
  columns: readonly Column[],
  widths: readonly number[],
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const table = new (loadTable())({
    chars: { ...noBorders, ...rule, middle: ' '.repeat(gap - 1) },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 1 },
    colAligns: columns.map(({ align = 'left' }) => align),
    // The padding and the separator together are the gap.
    colWidths: widths.map((each) => each + 1),
    head: [...head],
  })
  table.push(...rows.map((row) => [...row]))
  return table.toString()
}
