// Sections 2.3 and 2.5 to 2.7: what an order costs: the deal, the exchange, both invoices. Pure.
import { type Decimal, decimal, roundTo, sum, zero } from '../contract/decimal.ts'
import type {
  ExchangeRate,
  Invoice,
  InvoiceItem,
  InvoiceRecord,
  ProductEntry,
  Timestamp,
} from '../contract/schemas.ts'
import type { Product, Rate } from './catalogue.ts'

export type Line = { readonly product: Product; readonly quote: Decimal; readonly quantity: number }

export type Priced = {
  readonly products: ReadonlyMap<string, ProductEntry>
  readonly exchangeRates: readonly ExchangeRate[]
  readonly invoice: Invoice
  readonly retailInvoice: Invoice
}

/** Undefined where a product's currency cannot be exchanged for the wallet's. */
export const price = (
  lines: readonly Line[],
  wallet: string,
  rates: readonly Rate[],
  at: Timestamp,
): Priced | undefined => {
  const exchangeRates = new Map<string, ExchangeRate>()
  for (const { product } of lines) {
    if (product.currency === wallet) continue
    const rate = rates.find(
      (entry) => entry.baseCurrency === product.currency && entry.targetCurrency === wallet,
    )
    if (rate === undefined) return undefined
    exchangeRates.set(product.currency, { ...rate, modifiedDate: at })
  }
  const invoiceOf = (itemsOf: (line: Line) => InvoiceItem[]): Invoice => {
    const records = lines.map((line) => {
      const items = itemsOf(line)
      return record(line.product.sku, [
        ...items,
        ...exchange(items, exchangeRates.get(line.product.currency)),
      ])
    })
    // Spec silent on the status of an invoice that is not paid yet.
    return { total: totalIn(wallet, records), wallet, records, paymentMethod: 'balance', status: 'unpaid' }
  }
  return {
    products: new Map(lines.map((line) => [line.product.sku, productEntry(line)])),
    exchangeRates: [...exchangeRates.values()],
    invoice: invoiceOf((line) => [mainItem(line), ...dealItems(line)]),
    // Spec silent on what a retail invoice is: we take it as the same order at its face value, without the deal.
    retailInvoice: invoiceOf((line) => [mainItem(line)]),
  }
}

/** What one record adds to the total, in the wallet's currency. */
export const chargeOf = (record: InvoiceRecord, wallet: string): Decimal => record.total[wallet] ?? zero

const totalIn = (wallet: string, records: readonly InvoiceRecord[]): Decimal =>
  sum(records.map((entry) => chargeOf(entry, wallet)))

const record = (sku: string, items: InvoiceItem[]): InvoiceRecord => {
  const total: Record<string, Decimal> = {}
  for (const { effect } of items)
    total[effect.currency] = (total[effect.currency] ?? zero).plus(effect.amount)
  return { total, sku, items }
}

const hundred = decimal('100')

const faceValue = ({ quote, quantity }: Line): Decimal => quote.times(decimal(String(quantity)))

const mainItem = (line: Line): InvoiceItem => ({
  type: 'main-product',
  description: `${line.quantity} x ${line.product.name}`,
  effect: { amount: faceValue(line), currency: line.product.currency },
  metaData: { quantity: line.quantity, quote: line.quote },
})

// Spec silent on how a deal shows in an invoice: an item for the fee and one for the discount.
const dealItems = (line: Line): InvoiceItem[] => {
  const { fee, discount, currency } = line.product
  const part = (percent: Decimal): Decimal =>
    percent.eq(zero) ? zero : roundTo(currency, faceValue(line).times(percent).div(hundred))
  const item = (type: string, percent: Decimal, amount: Decimal): InvoiceItem[] =>
    amount.eq(zero)
      ? []
      : [{ type, description: `${type} ${percent.toFixed()} %`, effect: { amount, currency }, metaData: {} }]
  return [...item('fee', fee, part(fee)), ...item('discount', discount, part(discount).neg())]
}

// The base currency leaves, the wallet's currency comes: what is left in the base currency is nothing.
const exchange = (items: readonly InvoiceItem[], rate: ExchangeRate | undefined): InvoiceItem[] => {
  if (rate === undefined) return []
  const amount = sum(items.map((item) => item.effect.amount))
  const { baseCurrency, targetCurrency } = rate
  const description = `${baseCurrency} to ${targetCurrency} at ${rate.rate.toFixed()}`
  const item = (type: string, effect: InvoiceItem['effect']): InvoiceItem => ({
    type,
    description,
    effect,
    metaData: { ...rate },
  })
  return [
    item('exchange-base-currency', { amount: amount.neg(), currency: baseCurrency }),
    item('exchange-target-currency', {
      amount: roundTo(targetCurrency, amount.times(rate.rate)),
      currency: targetCurrency,
    }),
  ]
}

const productEntry = ({ product, quote, quantity }: Line): ProductEntry => ({
  sku: product.sku,
  request: { quote, quantity },
  customerDeal: {
    dealState: 'ACTIVE',
    fee: { amount: product.fee, adjustmentMode: 'percentage' },
    discount: { amount: product.discount, adjustmentMode: 'percentage' },
  },
  shopItem: {
    country: product.country,
    quote,
    name: product.name,
    region: product.region,
    productType: product.productType,
    baseCurrency: product.currency,
  },
})
