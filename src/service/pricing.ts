// The price of an order: product entries, exchange rates and both invoices (order-service.md 2.3, 2.5 to 2.7).
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
import { hashText } from './random.ts'

export type Line = { readonly product: Product; readonly quote: Decimal; readonly quantity: number }

export type PricedOrder = {
  readonly products: ReadonlyMap<string, ProductEntry>
  readonly exchangeRates: readonly ExchangeRate[]
  readonly invoice: Invoice
  readonly retailInvoice: Invoice
}

/** `rateAt` gives the rate of the market now. Undefined if there is no rate from a product's currency to the wallet's. */
export const priceOrder = (
  lines: readonly Line[],
  wallet: string,
  rates: readonly Rate[],
  rateAt: (rate: Rate) => Rate,
  at: Timestamp,
): PricedOrder | undefined => {
  const exchangeRates = new Map<string, ExchangeRate>()
  for (const { product } of lines) {
    if (product.currency === wallet) continue
    const rate = rates.find(
      ({ baseCurrency, targetCurrency }) => baseCurrency === product.currency && targetCurrency === wallet,
    )
    if (rate === undefined) return undefined
    exchangeRates.set(product.currency, { ...rateAt(rate), modifiedDate: at })
  }
  const createInvoice = (createItems: (line: Line) => InvoiceItem[]): Invoice => {
    const records = lines.map((line) => {
      const items = createItems(line)
      return createRecord(line.product.sku, [
        ...items,
        ...createExchangeItems(items, exchangeRates.get(line.product.currency)),
      ])
    })
    // Spec silent: the status of an unpaid invoice.
    const total = sum(records.map((record) => computeCharge(record, wallet)))
    return { total, wallet, records, paymentMethod: 'balance', status: 'unpaid' }
  }
  return {
    products: new Map(lines.map((line) => [line.product.sku, createProductEntry(line)])),
    exchangeRates: [...exchangeRates.values()],
    invoice: createInvoice((line) => [createMainItem(line), ...createDealItems(line)]),
    // Spec silent: the meaning of a retail invoice. Here it is the order at face value, without fees and discounts.
    retailInvoice: createInvoice((line) => [createMainItem(line)]),
  }
}

/** The record's share of the invoice total, in the wallet's currency. */
export const computeCharge = (record: InvoiceRecord, wallet: string): Decimal => record.total[wallet] ?? zero

const createRecord = (sku: string, items: InvoiceItem[]): InvoiceRecord => {
  const total: Record<string, Decimal> = {}
  for (const { effect } of items)
    total[effect.currency] = (total[effect.currency] ?? zero).plus(effect.amount)
  return { total, sku, items }
}

// A division takes twenty times as long as a multiplication.
const onePercent = decimal('0.01')

const computeFaceValue = ({ quote, quantity }: Line): Decimal => quote.times(decimal(String(quantity)))

const createMainItem = (line: Line): InvoiceItem => ({
  type: 'main-product',
  description: `${line.quantity} x ${line.product.name}`,
  effect: { amount: computeFaceValue(line), currency: line.product.currency },
  metaData: { quantity: line.quantity, quote: line.quote },
})

// Spec silent: how an invoice shows a deal. Here it has one item for the fee and one for the discount.
const createDealItems = (line: Line): InvoiceItem[] => {
  const { fee, discount, currency } = line.product
  const computeShare = (percent: Decimal): Decimal =>
    percent.eq(zero) ? zero : roundTo(currency, computeFaceValue(line).times(percent).times(onePercent))
  const createItem = (type: string, percent: Decimal, amount: Decimal): InvoiceItem[] =>
    amount.eq(zero)
      ? []
      : [{ type, description: `${type} ${percent.toFixed()} %`, effect: { amount, currency }, metaData: {} }]
  return [
    ...createItem('fee', fee, computeShare(fee)),
    ...createItem('discount', discount, computeShare(discount).neg()),
  ]
}

// The two items move the whole amount to the wallet's currency, so the total in the base currency is zero.
const createExchangeItems = (
  items: readonly InvoiceItem[],
  rate: ExchangeRate | undefined,
): InvoiceItem[] => {
  if (rate === undefined) return []
  const amount = sum(items.map((item) => item.effect.amount))
  const { baseCurrency, targetCurrency } = rate
  const description = `${baseCurrency} to ${targetCurrency} at ${rate.rate.toFixed()}`
  const createItem = (type: string, effect: InvoiceItem['effect']): InvoiceItem => ({
    type,
    description,
    effect,
    metaData: { ...rate },
  })
  return [
    createItem('exchange-base-currency', { amount: amount.neg(), currency: baseCurrency }),
    createItem('exchange-target-currency', {
      amount: roundTo(targetCurrency, amount.times(rate.rate)),
      currency: targetCurrency,
    }),
  ]
}

const createProductEntry = ({ product, quote, quantity }: Line): ProductEntry => ({
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

export const rateModes = ['moving', 'fixed'] as const
export type RateMode = (typeof rateModes)[number]

const hourMs = 3_600_000
// A prime number, so that the rate of a pair takes each level once before one repeats.
const levels = 29
// Two rates of consecutive hours differ by at least this number of levels, or 1.25 %.
const leastStep = 5
const one = decimal('1')
const levelSize = decimal('0.0025')
const significantDigits = 6

/** Returns the rate `elapsedMs` after the first order. It depends only on the time, the pair and the seed. */
export const moveRate = (rate: Rate, elapsedMs: number, seed: string): Rate => {
  const hour = Math.floor(Math.max(elapsedMs, 0) / hourMs)
  const level = findLevel(rate, hour, seed)
  if (level === 0) return rate
  return { ...rate, rate: applyLevel(rate.rate, level) }
}

const findLevel = ({ baseCurrency, targetCurrency }: Rate, hour: number, seed: string): number => {
  // A pair and its inverse move in opposite directions.
  const isOrdered = baseCurrency < targetCurrency
  const [first, second] = isOrdered ? [baseCurrency, targetCurrency] : [targetCurrency, baseCurrency]
  const step = leastStep + (hashText(`${seed}/rates/${first}/${second}`) % (levels - 2 * leastStep + 1))
  const level = ((hour % levels) * step) % levels
  const centred = level > levels / 2 ? level - levels : level
  return isOrdered ? centred : -centred
}

const applyLevel = (rate: Decimal, level: number): Decimal =>
  rate.times(one.plus(levelSize.times(decimal(String(level))))).prec(significantDigits)
