// A terminal in small: what its rows show after all that was written to it.
import { widthOf } from '../../src/ui/terminal/text-width.ts'

/** Breaks lines at its width, goes up, and erases; colours are passed over. */
export const screenOf = (width: number) => {
  let rows = ['']
  let row = 0
  let column = 0
  let takeAway: (() => void) | undefined
  const put = (character: string): void => {
    const before = (rows[row] ?? '').slice(0, column)
    if (widthOf(before + character) > screen.width) {
      row += 1
      column = 0
    }
    const line = (rows[row] ?? '').padEnd(column)
    rows[row] = line.slice(0, column) + character + line.slice(column + character.length)
    column += character.length
  }
  const draw = (text: string): void => {
    for (const [part, up, code] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|[\s\S]/gu)) {
      if (code === 'A') row = Math.max(0, row - Number(up || 1))
      else if (code === 'J') rows = [...rows.slice(0, row), (rows[row] ?? '').slice(0, column)]
      else if (code !== undefined) continue
      else if (part === '\r') column = 0
      else if (part === '\n') {
        row += 1
        column = 0
        rows[row] ??= ''
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
    /** The window made narrower: what does not fit is broken, as most terminals do. */
    narrow: (to: number): void => {
      const before = rows
      screen.width = to
      rows = ['']
      row = 0
      column = 0
      draw(before.join('\n'))
    },
    /** But for the one that the cursor is in, where that is empty. */
    rows: (): string[] => rows.slice(0, rows.at(-1) === '' ? -1 : undefined),
  }
  return screen
}
