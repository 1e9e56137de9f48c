// Writes the JSON of an order. JSON.stringify takes longer, because it calls toJSON for each Decimal.
import { formatDecimal, isDecimal } from '../contract/money/decimal.ts'

/** For plain objects, lists, texts, finite numbers and Decimals. */
export const writeCompactJson = (value: unknown): string => {
  if (typeof value === 'string') return writeText(value)
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isDecimal(value)) return formatDecimal(value)
  return Array.isArray(value) ? writeList(value) : writeObject(value as Record<string, unknown>)
}

const writeList = (list: readonly unknown[]): string => {
  let parts = ''
  for (const item of list) parts += parts === '' ? writeCompactJson(item) : `,${writeCompactJson(item)}`
  return `[${parts}]`
}

const writeObject = (object: Readonly<Record<string, unknown>>): string => {
  let parts = ''
  for (const key in object) {
    const field = object[key]
    if (field === undefined) continue
    const entry = writeKey(key) + writeCompactJson(field)
    parts += parts === '' ? entry : `,${entry}`
  }
  return `{${parts}}`
}

// Cached, because formatting them takes a quarter of the time. The keys are the names of fields, and the SKUs and
// currencies of the catalogue.
const keys = new Map<string, string>()

const writeKey = (key: string): string => {
  let text = keys.get(key)
  if (text === undefined) {
    text = `${writeText(key)}:`
    keys.set(key, text)
  }
  return text
}

/** Needs no escapes in JSON. */
const plain = /^[ !#-[\]-~]*$/

const writeText = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text))
