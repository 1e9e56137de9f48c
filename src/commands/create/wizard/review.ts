// The box that shows an order before it is placed.
import { type Decimal, decimal, parseDecimal, zero } from '../../../contract/decimal.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { wrapCell } from '../../../ui/terminal/text-width.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { formatMoney, formatNumber } from '../../../ui/text/amounts.ts'
import { boxSides, renderBox } from '../../../ui/text/box.ts'
import { renderTable } from '../../../ui/text/table.ts'
import type { KnownProduct } from '../../shared/products/known-products.ts'
import { countBatchOrders, type Order } from './order.ts'
import { needsBatch } from './order-size.ts'
import type { Product } from './product.ts'

export type ReviewView = View & {
  readonly hasUnicode: boolean
  /** Which account is charged. */
  readonly account: string
}

export const renderReview = (
  { products, wallet = '', reference }: Order,
  known: readonly KnownProduct[],
  { hasUnicode, account, ...view }: ReviewView,
): string => {
  const inner = { ...view, width: view.width - boxSides }
  const table = renderProducts(products, known, inner)
  const isBatch = needsBatch(products)
  const fields = renderWrappedFields(
    [
      ['Wallet', sanitize(wallet)],
      ['Total', formatTotal(products, known, wallet)],
      ['Account', sanitize(account)],
      [isBatch ? 'Batch' : 'Reference', sanitize(reference)],
      ...(isBatch ? [['Orders', formatBatchSize(products)] as const] : []),
    ],
    inner,
  )
  return `\n${renderBox([hasUnicode ? table : table.replaceAll('─', '-'), fields], view, hasUnicode)}\n`
}

const formatBatchSize = (products: readonly Product[]): string =>
  `${countBatchOrders(products)}, bought as a batch: one order cannot hold all cards`

const renderProducts = (products: readonly Product[], known: readonly KnownProduct[], view: View): string =>
  renderTable(
    [
      { title: 'PRODUCT', narrow: 'wrap' },
      { title: 'QUANTITY', align: 'right' },
      { title: 'EACH', align: 'right' },
      { title: 'SUM', align: 'right' },
    ],
    products.map((product) => {
      const { sku, quote, quantity } = product
      const currency = findCurrency(sku, known)
      return [
        describeProduct(product, known),
        quantity,
        formatAmount(parseDecimal(quote) ?? zero, currency),
        formatAmount(computeSum(product), currency),
      ]
    }),
    view,
  )

/** The name has its own line, because right-to-left text would reorder an amount after it. */
const describeProduct = ({ sku, type = 'fixed' }: Product, known: readonly KnownProduct[]): string => {
  const found = known.find((product) => product.sku === sku)
  const isUnusual = type !== (found?.type ?? 'fixed')
  return [sku, found?.name, isUnusual ? `type ${type}` : undefined]
    .filter((line) => line !== undefined)
    .map(sanitize)
    .join('\n')
}

const renderWrappedFields = (
  fields: readonly (readonly [name: string, value: string])[],
  { width, theme }: View,
): string => {
  const nameWidth = Math.max(...fields.map(([name]) => name.length)) + 2
  return fields
    .flatMap(([name, value]) =>
      wrapCell(value, Math.max(10, width - nameWidth)).map((line, index) =>
        index === 0 ? `${theme.quiet(name.padEnd(nameWidth))}${line}` : `${' '.repeat(nameWidth)}${line}`,
      ),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** Without a currency if it is not known. */
const formatAmount = (amount: Decimal, currency: string | undefined): string =>
  currency === undefined ? formatNumber(amount) : formatMoney(amount, currency)

const findCurrency = (sku: string, known: readonly KnownProduct[]): string | undefined =>
  known.find((product) => product.sku === sku)?.price?.currency

const computeSum = ({ quote, quantity }: Product): Decimal =>
  (parseDecimal(quote) ?? zero).times(decimal(quantity))

/**
 * As far as it is known before the service has priced the products: it adds its fees and discounts, and converts other
 * currencies at a rate that only it knows.
 */
const formatTotal = (
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
