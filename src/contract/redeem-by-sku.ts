// Groups the redeem data of an order by SKU, in any shape (order-service.md 2.8).
import { isObject } from './shape.ts'

const getKey = (entry: unknown, index: number): string =>
  isObject(entry) && typeof entry.sku === 'string' ? entry.sku : String(index)

/** Accepts a list, too: some servers write an empty object as an empty list. Returns undefined for other values. */
export const groupRedeemBySku = (found: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (isObject(found)) return new Map(Object.entries(found))
  if (!Array.isArray(found)) return undefined
  const bySku = [...Map.groupBy(found, getKey)]
  return new Map(bySku.map(([sku, entries]) => [sku, entries.length === 1 ? entries[0] : entries]))
}
