// Refuses an order that exceeds the limits of one order, and names the batch that buys it.
import { type Decimal, formatDecimal } from '../../contract/decimal.ts'
import { limits } from '../../contract/limits.ts'
import { formatViolation, type Violation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { formatProduct, type ProductInput } from '../shared/product-flag.ts'

/** What the batch has in common with the order. */
export type BatchParts = {
  /** Undefined if the products are in an order file. */
  readonly products: readonly ProductInput[] | undefined
  readonly wallet: string | undefined
  readonly reference: string | undefined
  readonly profile: string | undefined
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

const suggestBatch = (parts: BatchParts): string =>
  parts.products === undefined
    ? `Put the products into a CSV file with the columns sku, quote and quantity, or pass them as --product. Then: ${formatBatch('FILE.csv', parts)}`
    : formatBatch(undefined, parts)

const formatBatch = (
  file: string | undefined,
  { products = [], wallet, reference, profile, maxTotal }: BatchParts,
): string => {
  const option = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [name, quoteShellWord(sanitize(value))]
  return [
    'orderctl batch run',
    ...(file === undefined ? [] : [file]),
    ...products.flatMap((product) => option('--product', formatProduct(product))),
    ...option('--wallet', wallet),
    ...option('--name', reference),
    ...option('--profile', profile),
    ...option('--max-total', maxTotal === undefined ? 'AMOUNT' : formatDecimal(maxTotal)),
  ].join(' ')
}
