// Visits every text of a JSON value, with its field.
import { formatDecimal, isDecimal, parseDecimal } from '../../contract/decimal.ts'
import { listEntries } from '../text/entries.ts'
import { describeField, describeItem, describeRoot, type Field } from './mask-fields.ts'

/** A key has the field of its object. A number is passed as its exact text. */
type Kind = 'string' | 'number' | 'key'
type Replace = (text: string, field: Field, kind: Kind) => string

const writeNumber = (value: unknown): string | undefined => {
  if (isDecimal(value)) return formatDecimal(value)
  if (typeof value !== 'number') return undefined
  // 1e21 is written with 22 digits.
  const exact = parseDecimal(String(value))
  return exact === undefined ? String(value) : formatDecimal(exact)
}

/** A number stays a number unless its text is replaced. */
export const replaceTexts = (value: unknown, replace: Replace, field = describeRoot(value)): unknown => {
  if (typeof value === 'string') return replace(value, field, 'string')
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, replace, describeItem(field, each)))
  const number = writeNumber(value)
  if (number !== undefined) {
    const replaced = replace(number, field, 'number')
    return replaced === number ? value : replaced
  }
  const entries = listEntries(value)
  if (entries === undefined) return value
  const replaced = entries.map(([key, each]): [string, unknown] => {
    const child = describeField(key, each, field)
    const isKnown = child.documented !== undefined
    return [isKnown ? key : replace(key, field, 'key'), replaceTexts(each, replace, child)]
  })
  return value instanceof Map ? new Map(replaced) : Object.fromEntries(replaced)
}

export type Found = { readonly text: string; readonly field: Field; readonly kind: Kind }

export const findTexts = (tree: unknown): Found[] => {
  const found: Found[] = []
  replaceTexts(tree, (text, field, kind) => {
    if (text.trim() !== '') found.push({ text, field, kind })
    return text
  })
  return found
}
