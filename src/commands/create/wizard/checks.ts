// Checks the answers of the wizard by the same rules as the order itself.
import { type Decimal, decimal, parseDecimal } from '../../../contract/decimal.ts'
import { limits } from '../../../contract/limits.ts'
import { checkOrderRequest } from '../../../contract/order-request.ts'
import { quoteShellWord } from '../../../text/shell-word.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { formatNumber } from '../../../ui/text/money.ts'

export type Price = { readonly least: Decimal; readonly most: Decimal; readonly currency: string }

type Counted = { readonly quantity: string }

/** Checks one part in an order that is valid otherwise. */
export const checkPart = (part: 'sku' | 'productType' | 'wallet' | 'reference', text: string) => {
  const line = { sku: 'A', productType: 'fixed', quote: decimal('1'), quantity: 1 }
  const order = { productList: [line], wallet: 'USD', reference: 'A' }
  const document =
    part === 'sku' || part === 'productType'
      ? { ...order, productList: [{ ...line, [part]: text }] }
      : { ...order, [part]: text }
  const checked = checkOrderRequest(document, 'refused')
  return 'request' in checked ? undefined : `allowed: ${checked.violations[0]?.allowed}`
}

const countUnits = (products: readonly Counted[]): number =>
  products.reduce((all, { quantity }) => all + Number(quantity), 0)

/** The largest quantity that the limits allow for another product. */
export const maxQuantity = (others: readonly Counted[]): number =>
  others.length >= limits.skusPerOrder
    ? 0
    : Math.min(limits.quantityPerSku, limits.quantityPerOrder - countUnits(others))

export const formatPrice = ({ least, most, currency }: Price): string =>
  least.eq(most)
    ? `${formatNumber(least)} ${sanitize(currency)}`
    : `${formatNumber(least)} to ${formatNumber(most)} ${sanitize(currency)}`

export const checkQuote = (text: string, price: Price | undefined): string | undefined => {
  const quote = parseDecimal(text)
  if (quote === undefined || !quote.gt('0')) return 'allowed: a number above 0, such as 25 or 12.50'
  if (price === undefined || (quote.gte(price.least) && quote.lte(price.most))) return undefined
  return `allowed: ${formatPrice(price)}`
}

/** For more units than an order may have, the message names the batch that buys them. */
export const checkQuantity = (
  text: string,
  max: number,
  { sku, quote }: { readonly sku?: string; readonly quote?: string } = {},
): string | undefined => {
  if (!/^[1-9]\d{0,5}$/.test(text)) return `allowed: a whole number from 1 to ${max}`
  if (Number(text) <= max) return undefined
  const product = sku === undefined || quote === undefined ? 'SKU:QUOTExQUANTITY' : `${sku}:${quote}x${text}`
  return `allowed: a whole number from 1 to ${max}; for more: orderctl batch run --product ${quoteShellWord(sanitize(product))}`
}

// : and / separate the parts of --product.
export const checkType = (text: string): string | undefined =>
  /[:/]/.test(text) ? 'allowed: a product type without : and /' : checkPart('productType', text)
