// A small terminal: what its rows show after everything that was written to it.
import { widthOf } from '../../src/ui/terminal/text.ts'

export type Style = {
  readonly bold: boolean
  readonly dim: boolean
  /** The parameter of its escape code, such as '32' for green. */
  readonly colour: string | undefined
}
export type Run = { readonly text: string; readonly style: Style }

type Cell = { readonly character: string; readonly style: Style }

const plain: Style = { bold: false, dim: false, colour: undefined }
const space: Cell = { character: ' ', style: plain }

const applyCode = (style: Style, code: string): Style => {
  if (code === '0' || code === '') return plain
  if (code === '1') return { ...style, bold: true }
  if (code === '2') return { ...style, dim: true }
  if (code === '22') return { ...style, bold: false, dim: false }
  if (code === '39') return { ...style, colour: undefined }
  return /^(?:3|9)[0-7]$/.test(code) ? { ...style, colour: code } : style
}

const textOf = (cells: readonly Cell[]): string => cells.map(({ character }) => character).join('')

const runsOf = (cells: readonly Cell[]): Run[] => {
  const runs: Run[] = []
  for (const { character, style } of cells) {
    const last = runs.at(-1)
    if (last?.style === style) runs.splice(-1, 1, { text: last.text + character, style })
    else runs.push({ text: character, style })
  }
  return runs
}

/** Breaks lines at its width, moves its cursor, erases, and knows bold, dim and the sixteen colours. */
export const screenOf = (width: number) => {
  let rows: Cell[][] = [[]]
  let row = 0
  let column = 0
  let style = plain
  let takeAway: (() => void) | undefined
  const cellsOf = (): Cell[] => {
    rows[row] ??= []
    return rows[row] as Cell[]
  }
  const put = (character: string): void => {
    if (widthOf(textOf(cellsOf().slice(0, column)) + character) > screen.width) {
      row += 1
      column = 0
    }
    const line = cellsOf()
    while (line.length < column) line.push(space)
    line[column] = { character, style }
    column += 1
  }
  const control = (parameters: string, code: string): void => {
    const count = Number(parameters) || 1
    if (code === 'm') style = parameters.split(';').reduce(applyCode, style)
    else if (code === 'A') row = Math.max(0, row - count)
    else if (code === 'B') row += count
    else if (code === 'G') column = count - 1
    else if (code === 'K') rows[row] = parameters === '2' ? [] : cellsOf().slice(0, column)
    else if (code === 'J') rows = [...rows.slice(0, row), cellsOf().slice(0, column)]
  }
  const draw = (text: string): void => {
    for (const [part, parameters = '', code] of text.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|[\s\S]/gu)) {
      if (code !== undefined) control(parameters, code)
      else if (part === '\r') column = 0
      else if (part === '\n') {
        row += 1
        column = 0
        cellsOf()
      } else put(part)
    }
  }
  const screen = {
    width,
    beforeNext: (given: typeof takeAway): void => {
      takeAway = given
    },
    write: (text: string): void => {
      const first = takeAway
      takeAway = undefined
      first?.()
      draw(text)
    },
    /** Makes the window narrower: lines that no longer fit are broken, as most terminals do. */
    narrow: (to: number): void => {
      const before = rows.map(textOf)
      screen.width = to
      rows = [[]]
      row = 0
      column = 0
      draw(before.join('\n'))
    },
    /** Without the last row if it is empty. */
    rows: (): string[] => screen.styledRows().map((runs) => runs.map(({ text }) => text).join('')),
    styledRows: (): Run[][] => {
      const all = Array.from(rows, (cells = []) => runsOf(cells))
      return all.at(-1)?.length === 0 ? all.slice(0, -1) : all
    },
  }
  return screen
}
