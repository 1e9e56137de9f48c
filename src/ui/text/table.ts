// Fields (name and value), sections, paragraphs, lists, and tables that fit the terminal: texts are wrapped or cut, numbers
// and codes are never broken.

import { createRequire } from 'node:module'
import type CliTable from 'cli-table3'
import {
  cutText,
  safeLines,
  sanitize,
  widthOf,
  widthOfPaths,
  wrapAroundPaths,
  wrapProse,
} from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'

/** The value is safe and may be painted. An undefined value leaves the field out. */
export type NamedText = readonly [name: string, value: string | undefined]

type Themed = Pick<View, 'theme'>

export const renderFields = (fields: readonly NamedText[], { theme }: Themed, indent = ''): string => {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== undefined)
  const nameWidth = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${indent}${theme.quiet(name.padEnd(nameWidth))}  ${value}\n`).join('')
}

/** Wraps long values between words, below the start of the value. The values are safe. */
export const wrapFields = (fields: readonly NamedText[], width: number): NamedText[] => {
  const indent =
    Math.max(0, ...fields.filter(([, value]) => value !== undefined).map(([name]) => name.length)) + 2
  const wrap = (value: string): string => wrapProse(value, width - indent).join(`\n${' '.repeat(indent)}`)
  return fields.map(([name, value]) => [name, value && wrap(value)])
}

export const renderSection = (title: string, body: string, { theme }: Themed): string =>
  `${theme.strong(title)}\n${body}`

/** Begins with an empty line. Returns '' if the body is empty. */
export const renderNextSection = (title: string, body: string, view: Themed): string =>
  body === '' ? '' : `\n${renderSection(title, body, view)}`

/** The text is safe. */
export const paragraph = (text: string, width: number, indent = ''): string =>
  wrapProse(text, width - widthOf(indent))
    .map((line) => `${line === '' ? '' : indent}${line}\n`)
    .join('')

/** The text is safe. */
export const listItem = (text: string, width: number): string =>
  paragraph(text, width, '  ').replace(' ', '-')

/** Lists at most `max` texts, then the number of further texts. */
export const listFirst = (
  texts: readonly string[],
  max: number,
  more: (count: number) => string,
): string[] => (texts.length <= max ? [...texts] : [...texts.slice(0, max), more(texts.length - max)])

const require = createRequire(import.meta.url)

/** Loaded for the first table, because JSON needs none. */
export const loadTable = () => require('cli-table3') as typeof CliTable

export type ColumnLayout = {
  /** Unsafe text, like a cell, because users name the columns of a batch. Without a title, blocks leave the column out. */
  readonly title: string
  readonly align?: 'left' | 'right'
  /**
   * How the column gives way on a narrow terminal. Without it, the column keeps its width. A column that can be left out
   * is cut first if it has a `minWidth`.
   */
  readonly narrow?: 'wrap' | 'cut' | 'leave-out'
  /** The least width of a column that is wrapped or cut (default: 10). */
  readonly minWidth?: number
}

/** A column that reads its cells from the rows. It is shown unless `isShown` is false. */
export type ColumnOf<Row> = readonly [
  title: string,
  read: (row: Row, index: number) => Cell | undefined,
  layout?: Omit<ColumnLayout, 'title'> & { readonly isShown?: boolean },
]

export type ColumnsOf<Row> = readonly ColumnOf<Row>[]

/** The layout of a column of numbers. */
export const right = { align: 'right' } as const

type Painted = { readonly text: string; readonly paint: (text: string) => string }

/** Unsafe text: the table makes it safe before it paints it. */
export type Cell = string | Painted

type Columns = readonly ColumnLayout[]
type Rows<One> = readonly (readonly One[])[]

const gap = 2
const defaultMinWidth = 10

const readCells = (columns: Columns, rows: Rows<Cell>): Painted[][] =>
  rows.map((row) =>
    columns.map((_, index) => {
      const cell = row[index] ?? ''
      const { text, paint } = typeof cell === 'string' ? { text: cell, paint: (safe: string) => safe } : cell
      return { text: safeLines(text), paint }
    }),
  )

/** The widths of the columns; undefined if the table does not fit. */
const computeWidths = (columns: Columns, rows: Rows<Painted>, width: number) => {
  const sizes = columns.map(({ title, narrow, minWidth: given }, index) => {
    const minWidth = given ?? defaultMinWidth
    const lines = rows.flatMap((row) => row[index]?.text.split('\n') ?? [])
    const widest = lines.reduce((most, line) => Math.max(most, widthOf(line)), widthOf(title))
    const paths = narrow === 'wrap' ? lines : []
    const least = paths.reduce(
      (most, line) => Math.max(most, widthOfPaths(line)),
      Math.max(widthOf(title), minWidth),
    )
    const canShrink = narrow === 'wrap' || narrow === 'cut' || (narrow === 'leave-out' && given !== undefined)
    return { width: widest, least: canShrink ? Math.min(widest, least) : widest }
  })
  const total = sizes.reduce((all, size) => all + size.width + gap, -gap)
  for (let excess = total - width; excess > 0; excess -= 1) {
    const [widest] = sizes
      .filter((size) => size.width > size.least)
      .toSorted((one, other) => other.width - one.width)
    if (widest === undefined) return undefined
    widest.width -= 1
  }
  return sizes.map((size) => size.width)
}

const fitText = (text: string, narrow: ColumnLayout['narrow'], width: number): string[] =>
  narrow === 'wrap'
    ? wrapAroundPaths(text, width)
    : text.split('\n').map((line) => (narrow === undefined ? line : cutText(line, width)))

const renderBlocks = (columns: Columns, rows: Rows<Painted>, { width, theme }: View): string =>
  rows
    .map((cells) =>
      cells
        .map(({ text, paint }, index) => {
          const { title = '', narrow } = columns[index] ?? {}
          const room = Math.max(defaultMinWidth, width - title.length - 2)
          const lines = fitText(text, narrow && 'wrap', room).map((line) => line && paint(line))
          const shown = lines.join('\n  ')
          return shown === '' || title === '' ? '' : `${theme.quiet(`${title.toLowerCase()}:`)} ${shown}\n`
        })
        .join(''),
    )
    .join('\n')

export const fitsTable = (columns: Columns, rows: Rows<Cell>, width: number): boolean =>
  computeWidths(columns, readCells(columns, rows), width) !== undefined

/** A table, or blocks of `key: value` if a table does not fit. Of the columns that can be left out, the last goes first. */
export const renderTable = (given: Columns, rows: Rows<Cell>, view: View): string => {
  const columns = given.map((column) => ({ ...column, title: sanitize(column.title) }))
  const cells = readCells(columns, rows)
  let kept = columns.map((_, index) => index)
  for (;;) {
    const keep = <Part>(parts: readonly Part[]): Part[] => parts.filter((_, index) => kept.includes(index))
    const table = layOutTable(keep(columns), cells.map(keep), view)
    if (table !== undefined) return table
    const last = kept.findLast((index) => columns[index]?.narrow === 'leave-out')
    if (last === undefined) return renderBlocks(columns, cells, view)
    kept = kept.filter((index) => index !== last)
  }
}

export const readTable = <Row>(columns: ColumnsOf<Row>, rows: readonly Row[]): [ColumnLayout[], Cell[][]] => {
  const shown = columns.filter(([, , layout]) => layout?.isShown !== false)
  return [
    shown.map(([title, , layout]) => ({ title, ...layout })),
    rows.map((row, index) => shown.map(([, read]) => read(row, index) ?? '')),
  ]
}

export const renderTableOf = <Row>(columns: ColumnsOf<Row>, rows: readonly Row[], view: View): string =>
  renderTable(...readTable(columns, rows), view)

/** Returns undefined if the table does not fit. */
const layOutTable = (columns: Columns, rows: Rows<Painted>, { theme, width }: View) => {
  const widths = computeWidths(columns, rows, width)
  if (widths === undefined) return undefined
  const layOut = {
    chars: { left: '', right: '', middle: ' '.repeat(gap) },
    style: { border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: columns.map(({ align = 'left' }) => align),
    colWidths: widths,
  }
  // cli-table3 measures with an old string-width that counts combining marks as columns: 13 for 'नमस्ते दुनिया', which
  // has 10. So it lays out placeholders of the right width, which the texts replace. A row is a table of its own,
  // because cli-table3 compares each row with all others: 10,000 rows took 8 s.
  const renderRow = (cells: readonly (Pick<Painted, 'paint'> & { readonly lines: string[] })[]) => {
    const table = new (loadTable())(layOut)
    table.push(cells.map(({ lines }) => lines.map((line) => '\ue000'.repeat(widthOf(line))).join('\n')))
    // Drops the borders above and below.
    const laidOut = table.toString().split('\n').slice(1, -1)
    return laidOut.map((line, at) => {
      const texts = cells
        .map(({ lines, paint }) => ({ text: lines[at] ?? '', paint }))
        .filter(({ text }) => widthOf(text) > 0)
        .map(({ text, paint }) => paint(text))
      return `${line.trimEnd().replace(/\ue000+/g, () => texts.shift() ?? '')}\n`
    })
  }
  const head = renderRow(columns.map(({ title }) => ({ lines: [title], paint: theme.quiet })))
  const rule = theme.quiet('─'.repeat(widths.reduce((all, each) => all + each + gap, -gap)))
  const body = rows.flatMap((cells) =>
    renderRow(
      cells.map(({ text, paint }, index) => ({
        lines: fitText(text, columns[index]?.narrow, widths[index] ?? 0),
        paint,
      })),
    ),
  )
  return [...head, ...(body.length === 0 ? [] : [`${rule}\n`]), ...body].join('')
}
