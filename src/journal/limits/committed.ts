// Adds up what orders count as against caps, budgets and approvals, in millionths.
import { toMillionths } from '../../contract/money/millionths.ts'

/** The sum of what all orders count that are, or may be, confirmed. */
export type Committed = {
  readonly orders: number
  /** Without the orders whose amount cannot be read. */
  readonly millionths: bigint
  /** Whether the amount of an order is missing or damaged. It may be any amount, so it exceeds every limit. */
  readonly isDamaged: boolean
}

/**
 * SQL: what addCommitted reads, as one text, so that it can be the value of a subquery. Three orders of 25 are `3 3 0 75000000`:
 * their number, how many are sound, and the upper and lower half of their sum. SQLite fails if
 * a sum exceeds 64 bits, so the upper and lower 32 bits of the amounts are added up separately.
 */
export const sumCommitted = [
  'count(*)',
  // SQLite sorts a text and bytes after all numbers, so with `>=` they would count as sound, and as nothing.
  `count(*) FILTER (WHERE counts BETWEEN 0 AND ${2n ** 63n - 1n})`,
  'coalesce(sum(counts >> 32), 0)',
  `coalesce(sum(counts & ${2n ** 32n - 1n}), 0)`,
].join(" || ' ' || ")

export const addCommitted = (sums: readonly unknown[]): Committed => {
  const parts = sums.map((text) => String(text).split(' ').map(BigInt))
  const [orders, sound, high, low] = [0, 1, 2, 3].map((at) =>
    parts.reduce((sum, part) => sum + (part[at] ?? 0n), 0n),
  ) as [bigint, bigint, bigint, bigint]
  return { orders: Number(orders), millionths: (high << 32n) + low, isDamaged: orders !== sound }
}

export const noneCommitted: Committed = { orders: 0, millionths: 0n, isDamaged: false }

/** Whether the limit, an exact decimal, allows the orders and one more that counts as `counts`. */
export const isWithin = (limit: string, { millionths, isDamaged }: Committed, counts: bigint): boolean =>
  !isDamaged && millionths + counts <= readLimit(limit)

/** Throws if the limit is damaged. */
export const readLimit = (limit: string): bigint => {
  const amount = toMillionths(limit)
  if (amount === undefined) throw new RangeError(`not an amount: ${limit}`)
  return amount
}
