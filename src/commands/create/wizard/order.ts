// The order that the wizard collects: what one order can hold, and the checks of its parts, by the same rules as the
// order itself.

import { formatPrice, type KnownProduct } from '../../../app/products/product-list.ts'
import { limits } from '../../../contract/limits.ts'
import { decimal, parseDecimal } from '../../../contract/money/decimal.ts'
import { checkOrderRequest } from '../../../contract/order/order-request.ts'
import type { ProductInput } from '../../../text/product-flag.ts'

export type Order = {
  products: readonly ProductInput[]
  wallet: string | undefined
  reference: string
}

const countUnits = (products: readonly ProductInput[]): number =>
  products.reduce((all, { quantity }) => all + Number(quantity), 0)

/** The largest quantity that the limits of one order allow for another product. */
export const maxQuantity = (others: readonly ProductInput[]): number =>
  others.length >= limits.skusPerOrder
    ? 0
    : Math.min(limits.quantityPerSku, limits.quantityPerOrder - countUnits(others))

/** Whether the products need a batch. */
export const needsBatch = (products: readonly ProductInput[]): boolean =>
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

export const checkQuantity = (text: string, max: number): string | undefined =>
  /^[1-9]\d{0,6}$/.test(text) && Number(text) <= max ? undefined : `allowed: a whole number from 1 to ${max}`
