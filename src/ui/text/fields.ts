// Fields (name and value), sections, paragraphs and lists.
import { widthOf, wrapProse } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'

/** The value is safe and may be painted. An undefined value leaves the field out. */
export type Field = readonly [name: string, value: string | undefined]

type Themed = Pick<View, 'theme'>

export const renderFields = (fields: readonly Field[], { theme }: Themed, indent = ''): string => {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== undefined)
  const nameWidth = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${indent}${theme.quiet(name.padEnd(nameWidth))}  ${value}\n`).join('')
}

/** Wraps long values between words, below the start of the value. The values are safe. */
export const wrapFields = (fields: readonly Field[], width: number): Field[] => {
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
