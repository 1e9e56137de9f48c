// Converts an entry of the journal to JSON.
import { parseDecimal } from '../../../contract/decimal.ts'
import type { Entry } from '../../../journal/entry.ts'
import { readRequestedProducts } from '../../../journal/requested-products.ts'

/** Null for a time beyond the calendar: a service may send a very large number for 'never'. */
export const isoTime = (ms: number): string | null => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** The names of batches, by number. */
type BatchNames = ReadonlyMap<number, string>

export const entryData = (entry: Entry, batchNames: BatchNames) => {
  const { orderId, reference, state, profile, origin, wallet, total, expiresAt, batch } = entry
  return {
    orderId: orderId ?? null,
    reference: reference ?? null,
    state,
    profile,
    origin,
    wallet: wallet ?? null,
    total: total === undefined ? null : (parseDecimal(total) ?? null),
    products: readRequestedProducts(entry) ?? null,
    placedAt: isoTime(entry.placedAt),
    changedAt: isoTime(entry.changedAt),
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
    batch: batch === undefined ? null : (batchNames.get(batch) ?? null),
  }
}
