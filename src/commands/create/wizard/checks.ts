// What is wrong with an answer of the wizard: what the order's own check would say of it later.
import { type Decimal, decimal, parseDecimal } from '../../../contract/decimal.ts'
import { limits } from '../../../contract/limits.ts'
import { checkOrderRequest } from '../../../contract/order-request.ts'
import { safeText } from '../../../ui/terminal/safe-text.ts'
import { numberText } from '../../../ui/text/money.ts'

export type Price = { readonly least: Decimal; readonly most: Decimal; readonly currency: string }

type Counted = { readonly quantity: string }

/** What the order's own check says about a part of it, all else being good. */
export const problemOf = (part: 'sku' | 'productType' | 'wallet' | 'reference', text: string) => {
  const line = { sku: 'A', productType: 'fixed', quote: decimal('1'), quantity: 1 }
  const order = { productList: [line], wallet: 'USD', reference: 'A' }
  const document =
    part === 'sku' || part === 'productType'
      ? { ...order, productList: [{ ...line, [part]: text }] }
      : { ...order, [part]: text }
  const checked = checkOrderRequest(document, 'refused')
  return 'request' in checked ? undefined : `allowed: ${checked.violations[0]?.allowed}`
}

const unitsIn = (products: readonly Counted[]): number =>
  products.reduce((all, { quantity }) => all + Number(quantity), 0)

/** What the limits still allow of one more. */
export const roomBeside = (others: readonly Counted[]): number =>
  others.length >= limits.skusPerOrder
    ? 0
    : Math.min(limits.quantityPerSku, limits.quantityPerOrder - unitsIn(others))

export const priceText = ({ least, most, currency }: Price): string =>
  least.eq(most)
    ? `${numberText(least)} ${safeText(currency)}`
    : `${numberText(least)} to ${numberText(most)} ${safeText(currency)}`

export const quoteProblem = (text: string, price: Price | undefined): string | undefined => {
  const quote = parseDecimal(text)
  if (quote === undefined || !quote.gt('0')) return 'allowed: a number above 0, such as 25 or 12.50'
  if (price === undefined || (quote.gte(price.least) && quote.lte(price.most))) return undefined
  return `allowed: ${priceText(price)}`
}

export const quantityProblem = (text: string, room: number): string | undefined =>
  /^[1-9]\d{0,3}$/.test(text) && Number(text) <= room
    ? undefined
    : `allowed: a whole number from 1 to ${room}`

// What divides the parts of --product cannot stand in one.
export const typeProblem = (text: string): string | undefined =>
  /[:/]/.test(text) ? 'allowed: a product type without : and /' : problemOf('productType', text)
