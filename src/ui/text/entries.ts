// What a JSON object or a Map holds, one after the other.
import { isDecimal } from '../../contract/decimal.ts'

export type Entries = readonly (readonly [string, unknown])[]

/** Undefined where it is neither. */
export const entriesOf = (value: unknown): Entries | undefined => {
  if (value instanceof Map) return [...value]
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value)
    ? Object.entries(value)
    : undefined
}
