// Every text of a JSON value, with the field that it is in.
import { formatDecimal, isDecimal, parseDecimal } from '../../contract/decimal.ts'
import { entriesOf } from '../text/entries.ts'
import { type Field, fieldOf, itemField, rootField } from './mask-fields.ts'

/** A key comes with the field whose object it is in. A number comes as its exact text. */
type Kind = 'string' | 'number' | 'key'
type Replace = (text: string, field: Field, kind: Kind) => string

const numberText = (value: unknown): string | undefined => {
  if (isDecimal(value)) return formatDecimal(value)
  if (typeof value !== 'number') return undefined
  // 1e21 is a number of 22 digits.
  const exact = parseDecimal(String(value))
  return exact === undefined ? String(value) : formatDecimal(exact)
}

/** The value with each text replaced. A number whose text stays is the same number. */
export const replaceTexts = (value: unknown, replace: Replace, field = rootField(value)): unknown => {
  if (typeof value === 'string') return replace(value, field, 'string')
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, replace, itemField(field, each)))
  const number = numberText(value)
  if (number !== undefined) {
    const replaced = replace(number, field, 'number')
    return replaced === number ? value : replaced
  }
  const entries = entriesOf(value)
  if (entries === undefined) return value
  const replaced = entries.map(([key, each]): [string, unknown] => {
    const child = fieldOf(key, each, field)
    const isKnown = child.documented !== undefined
    return [isKnown ? key : replace(key, field, 'key'), replaceTexts(each, replace, child)]
  })
  return value instanceof Map ? new Map(replaced) : Object.fromEntries(replaced)
}

export type Found = { readonly text: string; readonly field: Field; readonly kind: Kind }

export const textsIn = (tree: unknown): Found[] => {
  const found: Found[] = []
  replaceTexts(tree, (text, field, kind) => {
    if (text.trim() !== '') found.push({ text, field, kind })
    return text
  })
  return found
}
