// Adds up what orders count as against caps, budgets and approvals, in millionths.
import { toMillionths } from '../../contract/money/millionths.ts'
import type { Dialect, Row } from '../database/database.ts'

/** What orders that are, or may be, confirmed count as together. */
export type Committed = {
  readonly orders: number
  /** Without the orders whose amount cannot be read. */
  readonly millionths: bigint
  /** Whether the amount of an order is missing or damaged. It may be any amount, so it exceeds every limit. */
  readonly isDamaged: boolean
}

/**
 * The columns that addCommitted reads. SQLite fails if a sum exceeds 64 bits, so the upper and lower 32 bits of the
 * amounts are added up separately.
 */
export const sumCommitted = ({ name }: Dialect): string => {
  const sound =
    name === 'sqlite'
      ? "sum(typeof(counts) = 'integer' AND counts >= 0)"
      : 'count(*) FILTER (WHERE counts >= 0)'
  return `count(*) AS orders, ${sound} AS sound,
    sum(counts >> 32) AS high, sum(counts & ${2n ** 32n - 1n}) AS low`
}

export const addCommitted = (rows: readonly Row[]): Committed => {
  const add = (column: string): bigint => rows.reduce((sum, row) => sum + ((row[column] ?? 0n) as bigint), 0n)
  const orders = add('orders')
  return {
    orders: Number(orders),
    millionths: (add('high') << 32n) + add('low'),
    isDamaged: orders !== add('sound'),
  }
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
