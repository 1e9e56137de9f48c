// Draws a box around sections of lines, with the lines that the terminal supports.
import { visibleWidth } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'

/** The columns that the sides and their padding take. */
export const boxSides = 4

/** Each section is safe text that may be painted. If a line does not fit, the box has no sides. */
export const renderBox = (
  sections: readonly string[],
  { width, theme }: Pick<View, 'width' | 'theme'>,
  hasUnicode: boolean,
): string => {
  const [rule = '', side = '', ...ends] = hasUnicode ? '─│┌┐├┤└┘' : '-|++++++'
  const bodies = sections.map((section) => section.replace(/\n$/, '').split('\n'))
  const inner = Math.max(...bodies.flat().map(visibleWidth))
  if (inner > width - boxSides) return `${bodies.map((lines) => lines.join('\n')).join('\n\n')}\n`
  /** 0: above the first section, 2: between two, 4: below the last. */
  const drawRule = (at: 0 | 2 | 4): string =>
    theme.quiet(`${ends[at]}${rule.repeat(inner + boxSides - 2)}${ends[at + 1]}`)
  const drawLine = (line: string): string =>
    `${theme.quiet(side)} ${line}${' '.repeat(inner - visibleWidth(line))} ${theme.quiet(side)}`
  const lines = bodies.flatMap((body, index) => [drawRule(index === 0 ? 0 : 2), ...body.map(drawLine)])
  return `${[...lines, drawRule(4)].join('\n')}\n`
}
