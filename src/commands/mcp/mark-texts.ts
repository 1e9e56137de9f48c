// Makes the texts of a document safe for an assistant: without control characters, short, and marked with their source,
// because the name of a product may contain instructions.
import { formatDecimal, isDecimal } from '../../contract/decimal.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'

export type Source = 'service' | 'journal'

const maxLength = 500

export const cutText = (text: string): string => {
  const shown = sanitize(text)
  return shown.length > maxLength ? `${shown.slice(0, maxLength).toWellFormed()}… (cut)` : shown
}

/** Such as an id, a SKU, a time or a masked code. Japanese has no spaces, so only ASCII counts. */
const isWord = (text: string): boolean => text.length <= 64 && /^[\x21-\x7e•…]*$/.test(text)

export const markText = (text: string, source: Source): string =>
  isWord(text) ? cutText(text) : `[from the ${source}] ${cutText(text)}`

/** Returns plain data. A number that a double cannot hold exactly becomes a text. */
export const markTexts = (value: unknown, source: Source): unknown => {
  if (typeof value === 'string') return markText(value, source)
  if (isDecimal(value)) return formatDecimal(value)
  if (Array.isArray(value)) return value.map((item) => markTexts(item, source))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [markText(key, source), markTexts(item, source)]),
  )
}
