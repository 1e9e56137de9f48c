// The price of an order: product entries, exchange rates and both invoices (order-service.md 2.3, 2.5 to 2.7).
import { type Decimal, decimal, roundTo, sum, zero } from '../contract/money/decimal.ts'
import type { ProductLine } from '../contract/order/order-request.ts'
import type {
  ExchangeRate,
  Invoice,
  InvoiceItem,
  InvoiceRecord,
  ProductEntry,
  Timestamp,
} from '../contract/schemas.ts'
import type { Product, Rate } from './catalogue.ts'

export type PricedLine = ProductLine & { readonly product: Product }

export type PricedOrder = {
  readonly products: ReadonlyMap<string, ProductEntry>
  readonly exchangeRates: readonly ExchangeRate[]
  readonly invoice: Invoice
  readonly retailInvoice: Invoice
}

/** Undefined if there is no rate from a product's currency to the wallet's. */
export const priceOrder = (
  lines: readonly PricedLine[],
  wallet: string,
  rates: readonly Rate[],
  at: Timestamp,
): PricedOrder | undefined => {
  const exchangeRates = new Map<string, ExchangeRate>()
  for (const { product } of lines) {
    if (product.currency === wallet) continue
    const rate = rates.find(
      ({ baseCurrency, targetCurrency }) => baseCurrency === product.currency && targetCurrency === wallet,
    )
    if (rate === undefined) return undefined
    exchangeRates.set(product.currency, { ...rate, modifiedDate: at })
  }
  const mainItems = lines.map(createMainItem)
  const createInvoice = (listItems: (line: PricedLine, main: InvoiceItem) => InvoiceItem[]): Invoice => {
    const records = lines.map((line, index): InvoiceRecord => {
      const items = listItems(line, mainItems[index] as InvoiceItem)
      const rate = exchangeRates.get(line.product.currency)
      if (rate !== undefined) items.push(...createExchangeItems(items, rate))
      const total: Record<string, Decimal> = {}
      for (const { effect } of items)
        total[effect.currency] = (total[effect.currency] ?? zero).plus(effect.amount)
      return { total, sku: line.product.sku, items }
    })
    // Spec silent: the status of an unpaid invoice.
    const total = sum(records.map((record) => computeCharge(record, wallet)))
    return { total, wallet, records, paymentMethod: 'balance', status: 'unpaid' }
  }
  return {
    products: new Map(lines.map((line) => [line.product.sku, createProductEntry(line)])),
    exchangeRates: [...exchangeRates.values()],
    invoice: createInvoice((line, main) => [main, ...createDealItems(line, main.effect.amount)]),
    // Spec silent: the meaning of a retail invoice. Here it is the order at face value, without fees and discounts.
    retailInvoice: createInvoice((_line, main) => [main]),
  }
}

/** The record's share of the invoice total, in the wallet's currency. */
export const computeCharge = (record: InvoiceRecord | undefined, wallet: string): Decimal =>
  record?.total[wallet] ?? zero

const createItem = (
  type: string,
  description: string,
  effect: InvoiceItem['effect'],
  metaData: InvoiceItem['metaData'] = {},
): InvoiceItem => ({ type, description, effect, metaData })

const createMainItem = ({ product, quantity, quote }: PricedLine): InvoiceItem => {
  const effect = { amount: quote.times(decimal(String(quantity))), currency: product.currency }
  return createItem('main-product', `${quantity} x ${product.name}`, effect, { quantity, quote })
}

// A division takes twenty times as long as a multiplication.
const onePercent = decimal('0.01')

// Spec silent: how an invoice shows a deal. Here it has one item for the fee and one for the discount.
const createDealItems = ({ product }: PricedLine, faceValue: Decimal): InvoiceItem[] => {
  const { fee, discount, currency } = product
  const computeShare = (percent: Decimal): Decimal =>
    percent.eq(zero) ? zero : roundTo(currency, faceValue.times(percent).times(onePercent))
  const listItem = (type: string, percent: Decimal, amount: Decimal): InvoiceItem[] =>
    amount.eq(zero) ? [] : [createItem(type, `${type} ${percent.toFixed()} %`, { amount, currency })]
  return [
    ...listItem('fee', fee, computeShare(fee)),
    ...listItem('discount', discount, computeShare(discount).neg()),
  ]
}

// The two items move the whole amount to the wallet's currency, so the total in the base currency is zero.
const createExchangeItems = (items: readonly InvoiceItem[], rate: ExchangeRate): InvoiceItem[] => {
  const amount = sum(items.map((item) => item.effect.amount))
  const { baseCurrency, targetCurrency } = rate
  const description = `${baseCurrency} to ${targetCurrency} at ${rate.rate.toFixed()}`
  const converted = roundTo(targetCurrency, amount.times(rate.rate))
  const [from, to] = [
    { amount: amount.neg(), currency: baseCurrency },
    { amount: converted, currency: targetCurrency },
  ]
  return [
    createItem('exchange-base-currency', description, from, { ...rate }),
    createItem('exchange-target-currency', description, to, { ...rate }),
  ]
}

const createProductEntry = ({ product, quote, quantity }: PricedLine): ProductEntry => ({
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
