// The rules of the service, pure: the states of an order after its confirmation, computed from the time (order-service.md 3), and
// its price: product entries, exchange rates and both invoices (2.3, 2.5 to 2.7).
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
import type { Behaviour, Product, Rate } from './catalogue.ts'

/** Fixed when the order is confirmed. */
export type Schedule = {
  readonly confirmedAt: number
  readonly processingAt: number
  readonly finalAt: number
}

/** The fields of an order line that decide its outcome. `short`: the stock ran out before the confirmation. */
export type OutcomeLine = { readonly sku: string; readonly behaviour?: Behaviour; readonly short?: boolean }

export const forcibleOutcomes = ['successful', 'partial', 'failed', 'rejected'] as const
export type ForcedOutcome = (typeof forcibleOutcomes)[number]

type ConfirmResult = {
  readonly state: string
  readonly delivered: ReadonlySet<string>
  readonly refunded: ReadonlySet<string>
}

const slowProcessingMs = 60_000

/** An order is `confirmed` for a quarter of its processing time, and `processing` for the rest. */
export const scheduleOutcome = (
  confirmedAt: number,
  processingMs: number,
  lines: readonly OutcomeLine[],
): Schedule => {
  const isSlow = lines.some((line) => line.behaviour === 'slow')
  const duration = isSlow ? Math.max(slowProcessingMs, processingMs) : processingMs
  return {
    confirmedAt,
    processingAt: confirmedAt + Math.floor(duration / 4),
    finalAt: confirmedAt + duration,
  }
}

export const canEndAs = (outcome: ForcedOutcome, lines: readonly OutcomeLine[]): boolean =>
  outcome !== 'partial' || lines.length > 1

export const decideOutcome = (
  lines: readonly OutcomeLine[],
  forced: ForcedOutcome | undefined,
): ConfirmResult => {
  const all = new Set(lines.map(({ sku }) => sku))
  const none: ReadonlySet<string> = new Set()
  const hasBehaviour = (behaviour: Behaviour) =>
    forced === undefined && lines.some((line) => line.behaviour === behaviour)
  if (forced === 'rejected' || hasBehaviour('reject'))
    return { state: 'rejected', delivered: none, refunded: all }
  // An order in an undocumented state delivers no card and refunds nothing.
  if (hasBehaviour('odd-state')) return { state: 'under-review', delivered: none, refunded: none }
  const refunded = new Set(listFailed(lines, forced).map(({ sku }) => sku))
  const delivered = all.difference(refunded)
  const state = delivered.size === 0 ? 'failed' : refunded.size === 0 ? 'successful' : 'partial'
  return { state, delivered, refunded }
}

const listFailed = (lines: readonly OutcomeLine[], forced: ForcedOutcome | undefined) => {
  if (forced === 'successful') return []
  if (forced === 'failed') return lines
  const failed = lines.filter((line) => line.behaviour === 'fail' || line.short)
  const isMixed = failed.length > 0 && failed.length < lines.length
  return forced === 'partial' && !isMixed ? lines.slice(-1) : failed
}

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
