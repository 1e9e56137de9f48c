// What the products of an order cost, as far as that is known before the service has priced them.
import { type Decimal, decimal, parseDecimal, zero } from '../../../contract/decimal.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { formatMoney, formatNumber } from '../../../ui/text/money.ts'
import type { KnownProduct, Product } from './product.ts'

/** Without a currency if it is not known. */
export const formatAmount = (amount: Decimal, currency: string | undefined): string =>
  currency === undefined ? formatNumber(amount) : formatMoney(amount, currency)

export const findCurrency = (sku: string, known: readonly KnownProduct[]): string | undefined =>
  known.find((product) => product.sku === sku)?.price?.currency

export const computeSum = ({ quote, quantity }: Product): Decimal =>
  (parseDecimal(quote) ?? zero).times(decimal(quantity))

/** The service adds its fees and discounts, and converts other currencies at a rate that only it knows. */
export const formatTotal = (
  products: readonly Product[],
  known: readonly KnownProduct[],
  wallet: string,
): string => {
  const sums = new Map<string | undefined, Decimal>()
  for (const product of products) {
    const currency = findCurrency(product.sku, known)
    sums.set(currency, (sums.get(currency) ?? zero).plus(computeSum(product)))
  }
  const amounts = [...sums].map(([currency, amount]) => formatAmount(amount, currency)).join(' and ')
  return sums.size === 1 && sums.has(wallet)
    ? `${amounts}, before fees and discounts`
    : `${amounts} face value, charged in ${sanitize(wallet)} at the rate that the service freezes`
}
