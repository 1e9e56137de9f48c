// Draws a box around sections of lines, with the lines that the terminal supports.
import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'

type BoxLines = { readonly rule: string; readonly side: string; readonly corners: string }

/** The corners: top left, top right, middle left, middle right, bottom left, bottom right. */
const unicodeLines: BoxLines = { rule: '─', side: '│', corners: '┌┐├┤└┘' }
const asciiLines: BoxLines = { rule: '-', side: '|', corners: '++++++' }

/** The columns that the sides and their padding take. */
export const boxSides = 4

/** Each section is safe text that may be painted. If a line does not fit, the box has no sides. */
export const renderBox = (
  sections: readonly string[],
  { width, theme }: Pick<View, 'width' | 'theme'>,
  hasUnicode: boolean,
): string => {
  const { rule, side, corners } = hasUnicode ? unicodeLines : asciiLines
  const bodies = sections.map((section) => section.replace(/\n$/, '').split('\n'))
  const inner = Math.max(...bodies.flat().map(visibleWidth))
  if (inner > width - boxSides) return `${bodies.map((lines) => lines.join('\n')).join('\n\n')}\n`
  const drawRule = (left: string, right: string): string =>
    theme.quiet(`${left}${rule.repeat(inner + boxSides - 2)}${right}`)
  const drawLine = (line: string): string =>
    `${theme.quiet(side)} ${line}${' '.repeat(inner - visibleWidth(line))} ${theme.quiet(side)}`
  const [topLeft = '', topRight = '', left = '', right = '', bottomLeft = '', bottomRight = ''] = corners
  const lines = bodies.flatMap((body, index) => [
    index === 0 ? drawRule(topLeft, topRight) : drawRule(left, right),
    ...body.map(drawLine),
  ])
  return `${[...lines, drawRule(bottomLeft, bottomRight)].join('\n')}\n`
}

const visibleWidth = (line: string): number => widthOf(stripVTControlCharacters(line))
