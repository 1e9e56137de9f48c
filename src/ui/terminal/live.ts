// Lines on a terminal that are drawn again in place, and give way to whatever else is written there.
import type { Writer } from './io.ts'
import { cutText, widthOf } from './text-width.ts'

type Terminal = Pick<Writer, 'write' | 'beforeNext' | 'width'>

const colour = /(\u001b\[[\d;]*m)/

/** A line without its end, and what of it fits: a wider one would break, and take more rows than it is counted for. */
const cut = (line: string, width: number): { readonly text: string; readonly columns: number } => {
  const parts = line.split(colour)
  const plain = parts.filter((part) => !colour.test(part)).join('')
  const shown = cutText(plain, width)
  const columns = widthOf(shown)
  if (shown === plain) return { text: line, columns }
  // Every change of colour stays: the last one ends it.
  let rest = shown.slice(0, -1)
  const fitting = parts.map((part) => {
    if (colour.test(part)) return part
    const taken = part.slice(0, rest.length)
    rest = rest.slice(taken.length)
    return taken
  })
  return { text: `${fitting.join('')}…`, columns }
}

export const createLive = (terminal: Terminal, isOn: boolean) => {
  let drawn: readonly number[] = []
  /** What takes away the lines that stand there. */
  const erased = (): string => {
    // The window may be narrower by now, and have broken what fitted before.
    const rows = drawn.reduce((sum, columns) => sum + Math.max(1, Math.ceil(columns / terminal.width)), 0)
    if (rows === 0) return ''
    drawn = []
    return `\u001b[${rows}A\r\u001b[J`
  }
  const clear = (): void => {
    const text = erased()
    if (text !== '') terminal.write(text)
  }
  return {
    isOn,
    /** Each line with its end. */
    show: (lines: readonly string[]): void => {
      if (!isOn) return
      const fitting = lines.map((line) => cut(line.replace(/\n$/, ''), terminal.width))
      terminal.write(erased() + fitting.map(({ text }) => `${text}\n`).join(''))
      drawn = fitting.map(({ columns }) => columns)
      if (drawn.length > 0) terminal.beforeNext(clear)
    },
    clear,
  }
}
