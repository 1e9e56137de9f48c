// Section 2.8: the redeem data of an order by SKU, whatever stands there.
import { isObject } from './shape.ts'

const keyOf = (entry: unknown, index: number): string =>
  isObject(entry) && typeof entry.sku === 'string' ? entry.sku : String(index)

/** A list by the SKUs that it names; an empty one is what some make of an empty object. Undefined where it is neither. */
export const redeemBySku = (found: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (isObject(found)) return new Map(Object.entries(found))
  if (!Array.isArray(found)) return undefined
  const bySku = [...Map.groupBy(found, keyOf)]
  return new Map(bySku.map(([sku, entries]) => [sku, entries.length === 1 ? entries[0] : entries]))
}
