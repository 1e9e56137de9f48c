// Renders a help topic: paragraphs, lists of names with meanings, and examples.
import { widthOf, wrapProse } from '../../ui/terminal/text-width.ts'
import type { View } from '../../ui/terminal/view.ts'
import { paragraph } from '../../ui/text/fields.ts'

export type Part =
  | { readonly text: string }
  | { readonly rows: readonly (readonly [name: string, meaning: string])[] }
  | { readonly code: string }

const gap = '  '
const minMeaningWidth = 24

const renderRows = (rows: readonly (readonly [string, string])[], { width, theme }: View): string => {
  const nameWidth = Math.max(...rows.map(([name]) => widthOf(name)))
  const meaningWidth = width - nameWidth - gap.length
  return rows
    .map(([name, meaning]) => {
      if (meaningWidth < minMeaningWidth) return `${theme.strong(name)}\n${paragraph(meaning, width, gap)}`
      const padding = ' '.repeat(nameWidth - widthOf(name))
      const indent = ' '.repeat(nameWidth + gap.length)
      const lines = wrapProse(meaning, meaningWidth).join(`\n${indent}`)
      return `${theme.strong(name)}${padding}${gap}${lines}\n`
    })
    .join('')
}

export const renderTopic = (parts: readonly Part[], view: View): string =>
  parts
    .map((part) => {
      if ('rows' in part) return renderRows(part.rows, view)
      return 'code' in part ? part.code.replace(/^(?=.)/gm, gap) : paragraph(part.text, view.width)
    })
    .join('\n')
