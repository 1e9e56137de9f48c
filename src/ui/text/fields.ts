// A few facts, a line each: name and value.
import { widthOf, wrapText } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'

/** The value is safe text or several lines of it, and may be painted. */
export type Field = readonly [name: string, value: string | undefined]

/** Undefined values are left out. */
export const fieldsText = (fields: readonly Field[], { theme }: Pick<View, 'theme'>): string => {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== undefined)
  const nameWidth = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${theme.quiet(name.padEnd(nameWidth))}  ${value}\n`).join('')
}

/** A heading of its own, and what stands below it. */
export const sectionText = (title: string, body: string, { theme }: Pick<View, 'theme'>): string =>
  `${theme.strong(title)}\n${body}`

/** A safe text as a paragraph. */
export const paragraph = (text: string, width: number, indent = ''): string =>
  wrapText(text, width - widthOf(indent))
    .map((line) => `${line === '' ? '' : indent}${line}\n`)
    .join('')
