// Lines on a terminal that are redrawn in place. Any other output to the terminal erases them first.
import { stripVTControlCharacters } from 'node:util'
import type { Writer } from './io.ts'
import { cutText, widthOf } from './text.ts'

/** Cuts a line to the width: a wrapped line would take more rows than `erase` counts. A line that is cut has no colours. */
const fitLine = (line: string, width: number): { readonly text: string; readonly columns: number } => {
  const plain = stripVTControlCharacters(line)
  const shown = cutText(plain, width)
  return { text: shown === plain ? line : shown, columns: widthOf(shown) }
}

export const createLive = (terminal: Pick<Writer, 'write' | 'beforeNext' | 'width'>, isOn: boolean) => {
  let drawn: readonly number[] = []
  /** Erases the lines that are drawn, and writes others. */
  const replace = (lines: readonly { readonly text: string; readonly columns: number }[]): void => {
    // A window that is narrower now has wrapped lines that fitted before.
    const rows = drawn.reduce((sum, columns) => sum + Math.max(1, Math.ceil(columns / terminal.width)), 0)
    drawn = []
    const erase = rows === 0 ? '' : `\u001b[${rows}A\r\u001b[J`
    const text = erase + lines.map((line) => `${line.text}\n`).join('')
    if (text !== '') terminal.write(text)
    drawn = lines.map(({ columns }) => columns)
  }
  return {
    isOn,
    /** False once other output has erased the lines. */
    isDrawn: (): boolean => drawn.length > 0,
    /** Each line ends with a newline. */
    show: (lines: readonly string[]): void => {
      if (!isOn) return
      replace(lines.map((line) => fitLine(line.replace(/\n$/, ''), terminal.width)))
      if (drawn.length > 0) terminal.beforeNext(() => replace([]))
    },
    clear: (): void => replace([]),
  }
}
