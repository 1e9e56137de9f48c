// An entry of the journal as JSON.
import { parseDecimal } from '../contract/decimal.ts'
import { readJson } from '../contract/json.ts'
import type { Entry } from '../journal/entry.ts'

/** Null for what no calendar has: a service may say 'never' by a very large number. */
export const isoTime = (ms: number): string | null => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

export const entryData = (entry: Entry) => {
  const { orderId, reference, standing, profile, origin, wallet, total, request, expiresAt } = entry
  return {
    orderId: orderId ?? null,
    reference: reference ?? null,
    state: standing,
    profile,
    origin,
    wallet: wallet ?? null,
    total: total === undefined ? null : (parseDecimal(total) ?? null),
    products: request === undefined ? null : (readJson(request) as { productList: unknown }).productList,
    placedAt: isoTime(entry.placedAt),
    changedAt: isoTime(entry.changedAt),
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
  }
}
