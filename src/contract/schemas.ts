// The shapes of all objects in order-service.md 2. Unknown fields and values are accepted, so that additions to the
// service do not break orderctl.
import {
  addIssue,
  amount,
  currency,
  currencyTotals,
  describe,
  isObject,
  list,
  mapOf,
  nullable,
  object,
  optional,
  type Read,
  refine,
  type Shape,
  text,
  union,
  walletCurrency,
  wholeNumber,
} from './shape.ts'
import { states } from './states.ts'

export { amount }

const textOrNull = nullable(text)

/** A text for which the document shows only some values. */
const openText = (...seen: readonly string[]) =>
  describe(text, {
    description: `Values seen: ${seen.join(', ')}.`,
    'x-spec-silent': 'Other values: any text passes.',
  })

/** 2.1 */
export const timestamp = object({
  _seconds: describe(wholeNumber, 'Seconds since the UNIX epoch.'),
  _nanoseconds: wholeNumber,
})

/** 2.3 */
export const exchangeRate = object({
  targetCurrency: currency,
  baseCurrency: currency,
  rate: describe(amount, {
    'x-spec-silent':
      'The direction: the amount in the base currency × rate is the amount in the target currency.',
  }),
  modifiedDate: timestamp,
})

const adjustment = object({ amount, adjustmentMode: openText('percentage') })

/** 2.5 */
export const productEntry = object({
  sku: text,
  request: object({ quote: amount, quantity: wholeNumber }),
  customerDeal: object({ dealState: openText('ACTIVE'), fee: adjustment, discount: adjustment }),
  shopItem: object({
    country: describe(text, 'A country code.'),
    quote: amount,
    name: text,
    region: openText('local'),
    productType: openText('fixed'),
    baseCurrency: currency,
  }),
})

/** 2.7 */
export const invoiceItem = object({
  type: openText('main-product', 'exchange-target-currency', 'exchange-base-currency'),
  description: text,
  effect: object({ amount: describe(amount, 'May be negative.'), currency }),
  metaData: describe(
    optional(
      object({
        quantity: optional(wholeNumber),
        quote: optional(amount),
        targetCurrency: optional(currency),
        baseCurrency: optional(currency),
        rate: optional(amount),
        modifiedDate: optional(timestamp),
      }),
    ),
    { 'x-spec-silent': 'Items of other types: they may come without.' },
  ),
})

/** 2.7 */
export const invoiceRecord = object({
  total: describe(currencyTotals, 'Keyed by currency code.'),
  sku: text,
  items: list(invoiceItem),
})

/** 2.6 */
export const invoice = object({
  total: describe(
    refine(amount, (total) => total.gte('0'), 'a total that is not negative'),
    { description: 'Total in the wallet currency.', minimum: 0 },
  ),
  wallet: walletCurrency,
  records: describe(list(invoiceRecord), 'One record per SKU.'),
  paymentMethod: openText('balance'),
  status: openText('paid'),
})

/** 2.8, shape A */
export const redeemCards = object({
  redeemInstructions: describe(
    nullable(
      object({
        tnc: describe(textOrNull, 'Terms, plain text.'),
        tncHtml: describe(textOrNull, 'Terms, HTML.'),
        redeem: describe(textOrNull, 'Redeem instructions, plain text.'),
        redeemHtml: describe(textOrNull, 'Redeem instructions, HTML.'),
        languageCode: textOrNull,
      }),
    ),
    'Filled only when the product issuer supplies it.',
  ),
  cards: list(
    describe(
      object({
        redeemLink: text,
        redeemCardCode: text,
        redeemSerialNumber: text,
        redeemPin: text,
        expirationDate: describe(text, 'A date and time.'),
      }),
      'Any of these may be an empty string.',
    ),
  ),
  currency,
  value: amount,
})

/** 2.8, shape B */
export const redeemPins = object({ redeemPin: list(text), currency, redeemLink: text, value: amount })

/** 2.8 does not say which product has which shape. */
export const redeemData = describe(
  union<Read<typeof redeemCards> | Read<typeof redeemPins>>(
    [redeemCards, redeemPins],
    'redeem data in one of the two documented shapes',
  ),
  { 'x-spec-silent': 'Which product has which shape: any product may have either.' },
)

// Accepts any shape, because codes that were paid for must not be lost.
const anyRedeem: Shape<ReadonlyMap<string, unknown>> = {
  ...mapOf(redeemData, 'SKU'),
  read: (found, walk) => groupRedeemBySku(found) ?? addIssue(walk, 'an object keyed by SKU'),
}

/** 3 */
const state = describe(text, {
  description: `One of ${Object.keys(states).join(', ')}.`,
  'x-spec-silent':
    'Which state is pending: created. What follows confirmed: processing, then any other. ' +
    'A state that is not documented passes.',
})

/** 2.4 */
export const order = object({
  uid: describe(text, 'Order identifier.'),
  state,
  products: describe(mapOf(productEntry, 'SKU'), 'Keyed by SKU.'),
  exchangeRates: list(exchangeRate),
  invoice,
  createdDate: timestamp,
  modifiedDate: timestamp,
  redeem: describe(optional(nullable(anyRedeem)), {
    description: 'Keyed by SKU. Filled when the state is successful or partial.',
    'x-spec-silent': 'The value in other states: an empty object, null or nothing.',
  }),
  reference: describe(text, 'The reference given at creation.'),
})

/** 2.9 */
export const createdOrder = object({
  id: describe(text, 'Order identifier.'),
  exchangeRates: optional(list(exchangeRate)),
  invoice: describe(invoice, {
    description: 'Wallet invoice.',
    'x-spec-silent': 'Its structure: that of the invoice in an order.',
  }),
  retailInvoice: describe(invoice, {
    description: 'Retail invoice.',
    'x-spec-silent': 'Its structure and meaning: an invoice at face value, without the deal.',
  }),
  expiresAt: describe(wholeNumber, 'UNIX timestamp in milliseconds at which the order or quote expires.'),
})

/** 4.2 */
export const confirmedOrder = object({ id: describe(text, 'Order identifier.'), state })

/** 4.2 */
export const confirmRequest = object({
  orderId: describe(
    {
      read: (value, walk) =>
        typeof value === 'string' && value !== '' ? value : addIssue(walk, 'an order id'),
      schema: () => ({ type: 'string', minLength: 1 }),
    } satisfies Shape<string>,
    'Identifier of the order to confirm.',
  ),
})

const message = describe(text, { 'x-spec-silent': 'The text of the message of a 200 response.' })
const createResponseShape = <Data>(data: Shape<Data>) => object({ message, data })

/** 4.1, 4.2 and 4.3 */
export const createResponse = createResponseShape(createdOrder)
export const confirmResponse = createResponseShape(confirmedOrder)
export const getResponse = createResponseShape(order)

export type Timestamp = Read<typeof timestamp>
export type ExchangeRate = Read<typeof exchangeRate>
export type ProductEntry = Read<typeof productEntry>
export type InvoiceItem = Read<typeof invoiceItem>
export type InvoiceRecord = Read<typeof invoiceRecord>
export type Invoice = Read<typeof invoice>
export type Order = Read<typeof order>
export type CreatedOrder = Read<typeof createdOrder>
export type ConfirmedOrder = Read<typeof confirmedOrder>

const getKey = (entry: unknown, index: number): string =>
  isObject(entry) && typeof entry.sku === 'string' ? entry.sku : String(index)

/** Accepts a list, too: some servers write an empty object as an empty list. Returns undefined for other values. */
const groupRedeemBySku = (found: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (isObject(found)) return new Map(Object.entries(found))
  if (!Array.isArray(found)) return undefined
  const bySku = [...Map.groupBy(found, getKey)]
  return new Map(bySku.map(([sku, entries]) => [sku, entries.length === 1 ? entries[0] : entries]))
}
