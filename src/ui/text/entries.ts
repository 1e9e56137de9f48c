// The entries of a JSON object or a Map.
import { isDecimal } from '../../contract/decimal.ts'

export type Entries = readonly (readonly [string, unknown])[]

/** Undefined if the value is neither an object nor a Map. */
export const listEntries = (value: unknown): Entries | undefined => {
  if (value instanceof Map) return [...value]
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value)
    ? Object.entries(value)
    : undefined
}
