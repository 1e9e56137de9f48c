// The order that the wizard collects: what one order can hold, and the checks of its parts, by the same rules as the
// order itself.

import { formatPrice, type KnownProduct } from '../../../app/products/product-list.ts'
import { limits } from '../../../contract/limits.ts'
import { decimal, parseDecimal } from '../../../contract/money/decimal.ts'
import { checkOrderRequest } from '../../../contract/order/order-request.ts'
import { batchLimits } from '../../../operations/batch/plan/rows.ts'
import type { ProductInput } from '../../../text/product-flag.ts'

export type Order = {
  products: readonly ProductInput[]
  wallet: string | undefined
  reference: string
}

type Counted = { readonly quantity: string }

const countUnits = (products: readonly Counted[]): number =>
  products.reduce((all, { quantity }) => all + Number(quantity), 0)

/** The largest quantity that the limits of one order allow for another product. */
export const maxQuantity = (others: readonly Counted[]): number =>
  others.length >= limits.skusPerOrder
    ? 0
    : Math.min(limits.quantityPerSku, limits.quantityPerOrder - countUnits(others))

/** Whether the products need a batch. */
export const needsBatch = (products: readonly Counted[]): boolean =>
  products.length > limits.skusPerOrder ||
  countUnits(products) > limits.quantityPerOrder ||
  products.some(({ quantity }) => Number(quantity) > limits.quantityPerSku)

/** Checks one part in an order that is valid otherwise. */
export const checkPart = (part: 'sku' | 'productType' | 'wallet' | 'reference', text: string) => {
  const line = { sku: 'A', productType: 'fixed', quote: decimal('1'), quantity: 1 }
  const order = { productList: [line], wallet: 'USD', reference: 'A' }
  const document =
    part === 'sku' || part === 'productType'
      ? { ...order, productList: [{ ...line, [part]: text }] }
      : { ...order, [part]: text }
  const [violation] = checkOrderRequest(document, 'refused').violations
  return violation && `allowed: ${violation.allowed}`
}

/** Also takes `25,50` and `25 USD`. A comma before three digits may separate thousands, so it stays wrong. */
export const normalizeQuote = (text: string, price: KnownProduct['price']): string => {
  const [, amount = text, currency] = /^([\d.,]+) ?([A-Za-z]+)$/.exec(text) ?? []
  if (currency !== undefined && currency.toUpperCase() !== price?.currency) return text
  return /^\d+,\d{1,2}$/.test(amount) ? amount.replace(',', '.') : amount
}

export const checkQuote = (text: string, price: KnownProduct['price']): string | undefined => {
  const quote = parseDecimal(normalizeQuote(text, price))
  if (quote === undefined || !quote.gt('0')) return 'allowed: a number above 0, such as 25 or 12.50'
  if (price === undefined || (quote.gte(price.least) && quote.lte(price.most))) return undefined
  return `allowed: ${formatPrice(price)}`
}

/** A quantity above `max` needs a batch, unless this flag prevents it. */
export const checkQuantity = (text: string, max: number, batchObstacle?: string): string | undefined => {
  const most = batchObstacle === undefined ? batchLimits.cards : max
  if (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= most) return undefined
  const more = batchObstacle === undefined ? '' : `; a batch holds more, but not with ${batchObstacle}`
  return `allowed: a whole number from 1 to ${most}${more}`
}
