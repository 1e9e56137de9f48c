// Adds up the totals of orders, which the journal counts but does not add.
import { type Decimal, decimal, parseDecimal, sum, zero } from '../contract/decimal.ts'
import type { BatchUse } from '../journal/batches/approval-guard.ts'
import type { Committed } from '../journal/batches/slot-guard.ts'

/** Counts a total that the journal does not have as 0. */
export const addCommitted = (committed: readonly Committed[]): Decimal =>
  sum(committed.map(({ total, count }) => (parseDecimal(total) ?? zero).times(decimal(String(count)))))

/** The amount that a batch may still spend. Negative if its cap was lowered. */
export const findLeftOfCap = ({ committed, maxTotal = '0' }: Omit<BatchUse, 'name'>): Decimal =>
  decimal(maxTotal).minus(addCommitted(committed))
