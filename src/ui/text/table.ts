// Tables that fit the terminal: texts wrap or are cut, numbers and codes are never broken.
import Table from 'cli-table3'
import { safeLines } from '../terminal/safe-text.ts'
import { cutText, widthOf, wrapText } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'

export type Column = {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** What becomes of it on a narrow terminal; a column without it is never broken. */
  readonly narrow?: 'wrap' | 'cut' | 'leave-out'
}

type Paint = (text: string) => string

/** The text as it came: it is made safe here, before the colour is put on. */
export type Cell = string | { readonly text: string; readonly paint: Paint }

const gap = 2
const leastWidth = 10
const same: Paint = (text) => text

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
    [side, ''],
    ...['left', 'mid', 'right'].map((end) => [`${side}-${end}`, '']),
  ]),
)
const rule = { mid: '─', 'mid-mid': '─' }

const textOf = (cell: Cell): string => safeLines(typeof cell === 'string' ? cell : cell.text)
const paintOf = (cell: Cell): Paint => (typeof cell === 'string' ? same : cell.paint)

/** The widths of the columns, or undefined where the table does not fit. */
const widthsFor = (columns: readonly Column[], rows: readonly string[][], width: number) => {
  const widths = columns.map(({ title }, index) =>
    rows
      .flatMap((row) => (row[index] ?? '').split('\n'))
      .reduce((widest, line) => Math.max(widest, widthOf(line)), widthOf(title)),
  )
  const least = columns.map(({ title, narrow }, index) =>
    narrow !== 'wrap' && narrow !== 'cut'
      ? (widths[index] ?? 0)
      : Math.min(widths[index] ?? 0, Math.max(widthOf(title), leastWidth)),
  )
  const excess = () => widths.reduce((all, each) => all + each + gap, -gap) - width
  while (excess() > 0) {
    // The widest of those that can still give way.
    const slack = widths.map((each, index) => (each > (least[index] ?? 0) ? each : 0))
    const widest = slack.indexOf(Math.max(...slack))
    if (slack[widest] === 0) return undefined
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const fitted = (text: string, { narrow }: Column, width: number): string[] =>
  narrow === 'wrap'
    ? wrapText(text, width)
    : text.split('\n').map((line) => (narrow === 'cut' ? cutText(line, width) : line))

const blocks = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, theme }: View,
): string =>
  rows
    .map((row) =>
      columns
        .flatMap((column, index) => {
          const cell = row[index] ?? ''
          const [first = '', ...others] = fitted(
            textOf(cell),
            { ...column, ...(column.narrow === undefined ? {} : { narrow: 'wrap' }) },
            Math.max(leastWidth, width - column.title.length - 2),
          ).map((line) => (line === '' ? '' : paintOf(cell)(line)))
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

// The library measures by rules of its own, which miss marks that take no column; so it lays out runs of
// stand-ins of the right widths, and the true texts take their places afterwards.
const standIn = '\ue000'
// It compares each row with all that it was given: 10,000 took 8 s.
const part = 100

export const fitsTable = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): boolean =>
  widthsFor(
    columns,
    rows.map((row) => row.map(textOf)),
    width,
  ) !== undefined

/** A table, or blocks of `key: value` where it does not fit. */
export const tableText = (
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  view: View,
): string => {
  const all = columns.map((_, index) => index)
  const kept = all.filter((index) => columns[index]?.narrow !== 'leave-out')
  return draw(columns, rows, all, view) ?? draw(columns, rows, kept, view) ?? blocks(columns, rows, view)
}

const draw = (
  allColumns: readonly Column[],
  allRows: readonly (readonly Cell[])[],
  kept: readonly number[],
  { theme, width }: View,
): string | undefined => {
  const columns = kept.map((index) => allColumns[index] ?? { title: '' })
  const rows = allRows.map((row) => kept.map((index) => row[index] ?? ''))
  const widths = widthsFor(
    columns,
    rows.map((row) => row.map(textOf)),
    width,
  )
  if (widths === undefined) return undefined
  const laidOut = (head: readonly string[], body: readonly (readonly string[])[]): string => {
    const table = new Table({
      chars: { ...noBorders, ...rule, middle: ' '.repeat(gap - 1) },
      style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 1 },
      colAligns: columns.map(({ align = 'left' }) => align),
      // With the column between two cells this is the gap.
      colWidths: widths.map((each) => each + 1),
      head: [...head],
    })
    table.push(...body.map((row) => [...row]))
    return table.toString()
  }
  const standIns: string[][] = []
  const places: string[] = columns.map(({ title }) => theme.quiet(title))
  for (const row of rows) {
    const cells = columns.map((column, index) => {
      const cell = row[index] ?? ''
      return { lines: fitted(textOf(cell), column, widths[index] ?? 0), paint: paintOf(cell) }
    })
    standIns.push(cells.map(({ lines }) => lines.map((line) => standIn.repeat(widthOf(line))).join('\n')))
    const height = Math.max(...cells.map(({ lines }) => lines.length))
    for (let line = 0; line < height; line += 1) {
      for (const { lines, paint } of cells) {
        const text = lines[line] ?? ''
        if (widthOf(text) > 0) places.push(paint(text))
      }
    }
  }
  const head = columns.map(({ title }) => standIn.repeat(widthOf(title)))
  const parts = [laidOut(head, standIns.slice(0, part))]
  for (let at = part; at < standIns.length; at += part) parts.push(laidOut([], standIns.slice(at, at + part)))
  let place = 0
  return `${parts
    .join('\n')
    .split('\n')
    .map((line) => (/^─+$/.test(line) ? theme.quiet(line.slice(0, -1)) : line.trimEnd()))
    .join('\n')
    .replace(/\ue000+/g, () => places[place++] ?? '')}\n`
}
