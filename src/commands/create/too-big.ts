// Refuses an order that exceeds the limits of one order, and names the batch that buys it.
import { type Decimal, formatDecimal } from '../../contract/decimal.ts'
import { limits } from '../../contract/limits.ts'
import { formatViolation, type Violation } from '../../contract/violations.ts'
import { Failure, type Fix } from '../../errors.ts'
import { formatProduct, type ProductInput } from '../../text/product-flag.ts'

/** What the batch has in common with the order. */
export type BatchParts = {
  /** Undefined if the products are in the file. */
  readonly products: readonly ProductInput[] | undefined
  readonly wallet: string | undefined
  readonly profile: string | undefined
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

const suggestBatch =
  ({ products, wallet, reference, maxTotal }: BatchParts): Fix =>
  (suggest) => {
    const flags = {
      product: products?.map(formatProduct),
      ...{
        wallet,
        name: reference,
        'max-total': maxTotal === undefined ? 'AMOUNT' : formatDecimal(maxTotal),
      },
    }
    return products === undefined
      ? `Put the products into a CSV file with the columns sku, quote and quantity, or pass them as --product. Then: ${suggest`batch run FILE.csv ${flags}`}`
      : suggest`batch run ${flags}`
  }
