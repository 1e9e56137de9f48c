// Checks a product against the list of the products that an account sells.
import { type Decimal, getMinorDigits, roundTo, zero } from '../../../contract/decimal.ts'
import { isLabel } from '../../../contract/limits.ts'
import { toDecimal } from '../../../contract/shape.ts'
import { createViolation, type Violation } from '../../../contract/violations.ts'
import type { PricedProduct } from '../../../service/catalogue.ts'
import { findNearest } from '../../../text/nearest-words.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { formatNumber } from '../../../ui/text/amounts.ts'
import type { ProductList } from './product-list.ts'

export type ProductProblem = {
  readonly part: 'sku' | 'productType' | 'quote'
  readonly allowed: string
}

/** The parts may be of any type, because they are not checked yet. A part that is not valid has no problem here. */
type Parts = { readonly sku?: unknown; readonly productType?: unknown; readonly quote?: unknown }

export const findProductProblems = (
  list: ProductList,
  { sku, productType, quote }: Parts,
): readonly ProductProblem[] => {
  if (typeof sku !== 'string' || !isLabel(sku)) return []
  const product = list.products.get(sku)
  if (product === undefined) {
    return [{ part: 'sku', allowed: `a SKU of ${list.name}${suggestSku(sku, list.products.keys())}` }]
  }
  const amount = toDecimal(quote)
  const isOtherType =
    typeof productType === 'string' && isLabel(productType) && productType !== product.productType
  const price = amount?.gt(zero) === true ? describePrice(list, product, amount) : undefined
  return [
    ...(isOtherType ? [{ part: 'productType', allowed: `${product.productType} for ${sku}` } as const] : []),
    ...(price === undefined ? [] : [{ part: 'quote', allowed: `${price} for ${sku}` } as const]),
  ]
}

/** Of the list of products in a document that is not checked yet. */
export const findProductViolations = (
  document: { readonly productList?: unknown },
  list: ProductList,
): Violation[] => {
  const lines: unknown[] = Array.isArray(document.productList) ? document.productList : []
  return lines.flatMap((line, index) =>
    findProductProblems(list, line ?? {}).map(({ part, allowed }) =>
      createViolation(document, ['productList', index, part], allowed),
    ),
  )
}

/** What is allowed instead of the amount. Undefined if the amount is allowed. */
const describePrice = (
  { refusesFractions }: ProductList,
  { price }: PricedProduct,
  amount: Decimal,
): string | undefined => {
  const { least, most, currency } = price
  if (amount.lt(least) || amount.gt(most)) return formatPrice(price)
  if (!refusesFractions || roundTo(currency, amount).eq(amount)) return undefined
  return `${formatPrice(price)} with at most ${getMinorDigits(currency)} decimal places`
}

export const formatPrice = ({ least, most, currency }: PricedProduct['price']): string =>
  least.eq(most)
    ? `${formatNumber(least)} ${sanitize(currency)}`
    : `${formatNumber(least)} to ${formatNumber(most)} ${sanitize(currency)}`

const maxSuggestions = 3
/** The comparison takes as long as the product of the lengths. */
const maxLength = 100

/** ' (did you mean GAME-US?)'; empty if no known SKU is similar. Capitals do not matter. */
export const suggestSku = (sku: string, known: Iterable<string>): string => {
  if (sku.length > maxLength) return ''
  const byFolded = new Map<string, string>()
  for (const each of known) if (each.length <= maxLength) byFolded.set(each.toLowerCase(), each)
  const folded = findNearest(sku.toLowerCase(), [...byFolded.keys()]).slice(0, maxSuggestions)
  const near = folded.map((each) => byFolded.get(each))
  return near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`
}
