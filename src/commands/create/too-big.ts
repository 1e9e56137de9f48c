// Refuses an order that exceeds the limits of one order, and names the batch that buys it.
import { type Decimal, formatDecimal } from '../../contract/decimal.ts'
import { limits } from '../../contract/limits.ts'
import { formatViolation, type Violation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { type BatchCommand, formatBatchCommand } from './batch-words.ts'

/** What the batch has in common with the order. */
export type BatchParts = Pick<BatchCommand, 'products' | 'wallet' | 'profile'> & {
  readonly reference: string | undefined
  readonly maxTotal: Decimal | undefined
}

export const isTooBig = (violations: readonly Violation[]): boolean =>
  violations.every((violation) => violation.isTooBig === true)

export const createTooBigOrder = (violations: readonly Violation[], parts: BatchParts): Failure => {
  const { skusPerOrder, quantityPerSku, quantityPerOrder } = limits
  const limit = `${skusPerOrder} products, ${quantityPerSku} of each and ${quantityPerOrder} in all`
  return new Failure('usage', `one order holds at most ${limit}; nothing was sent`, {
    violations: violations.map(formatViolation),
    fix: suggestBatch(parts),
  })
}

const suggestBatch = ({ reference, maxTotal, ...parts }: BatchParts): string => {
  const command: BatchCommand = {
    ...parts,
    action: 'run',
    name: reference,
    maxTotal: maxTotal === undefined ? 'AMOUNT' : formatDecimal(maxTotal),
  }
  return parts.products === undefined
    ? `Put the products into a CSV file with the columns sku, quote and quantity, or pass them as --product. Then: ${formatBatchCommand({ ...command, file: 'FILE.csv' })}`
    : formatBatchCommand(command)
}
