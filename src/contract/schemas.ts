// Section 2: a shape for every object of the document. Unknown fields are kept, and unknown values of open
// enumerations pass: what the service adds tomorrow must not break a caller today.
import { redeemBySku } from './redeem-by-sku.ts'
import {
  amount,
  checked,
  described,
  either,
  list,
  mapOf,
  nullable,
  object,
  optional,
  type Read,
  record,
  type Shape,
  text,
  wholeNumber,
  wrong,
} from './shape.ts'
import { states } from './states.ts'

export { amount }

const says = <Known extends Shape<unknown>>(shape: Known, description: string): Known =>
  described(shape, { description })

const textOrNull = nullable(text)
const currency = says(text, 'A currency code.')

/** A text of which the document shows some values only. */
const open = (...seen: readonly string[]) =>
  described(text, {
    description: `Values seen: ${seen.join(', ')}.`,
    'x-spec-silent': 'Other values: any text passes.',
  })

/** 2.1 */
export const timestamp = object({
  _seconds: says(wholeNumber, 'Seconds since the UNIX epoch.'),
  _nanoseconds: wholeNumber,
})

/** 2.3 */
export const exchangeRate = object({
  targetCurrency: currency,
  baseCurrency: currency,
  rate: described(amount, {
    'x-spec-silent': 'The direction: an amount in the target currency is that in the base currency × rate.',
  }),
  modifiedDate: timestamp,
})

const adjustment = object({ amount, adjustmentMode: open('percentage') })

/** 2.5 */
export const productEntry = object({
  sku: text,
  request: object({ quote: amount, quantity: wholeNumber }),
  customerDeal: object({ dealState: open('ACTIVE'), fee: adjustment, discount: adjustment }),
  shopItem: object({
    country: says(text, 'A country code.'),
    quote: amount,
    name: text,
    region: open('local'),
    productType: open('fixed'),
    baseCurrency: currency,
  }),
})

/** 2.7 */
export const invoiceItem = object({
  type: open('main-product', 'exchange-target-currency', 'exchange-base-currency'),
  description: text,
  effect: object({ amount: says(amount, 'May be negative.'), currency }),
  metaData: described(
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
  total: says(record(amount, 'currency'), 'Keyed by currency code.'),
  sku: text,
  items: list(invoiceItem),
})

/** 2.6 */
export const invoice = object({
  total: described(
    checked(amount, (total) => total.gte('0'), 'a total that is not negative'),
    { description: 'Total in the wallet currency.', minimum: 0 },
  ),
  wallet: currency,
  records: says(list(invoiceRecord), 'One record per SKU.'),
  paymentMethod: open('balance'),
  status: open('paid'),
})

/** 2.8, shape A */
export const redeemCards = object({
  redeemInstructions: says(
    nullable(
      object({
        tnc: says(textOrNull, 'Terms, plain text.'),
        tncHtml: says(textOrNull, 'Terms, HTML.'),
        redeem: says(textOrNull, 'Redeem instructions, plain text.'),
        redeemHtml: says(textOrNull, 'Redeem instructions, HTML.'),
        languageCode: textOrNull,
      }),
    ),
    'Filled only when the product issuer supplies it.',
  ),
  cards: list(
    says(
      object({
        redeemLink: text,
        redeemCardCode: text,
        redeemSerialNumber: text,
        redeemPin: text,
        expirationDate: says(text, 'A date and time.'),
      }),
      'Any of these may be an empty string.',
    ),
  ),
  currency,
  value: amount,
})

/** 2.8, shape B */
export const redeemPins = object({
  redeemPin: list(text),
  currency,
  redeemLink: text,
  value: amount,
})

/** 2.8: which shape comes where is not documented, so either may come anywhere. */
export const redeemData = described(
  either<Read<typeof redeemCards> | Read<typeof redeemPins>>(
    [redeemCards, redeemPins],
    'redeem data in one of the two documented shapes',
  ),
  { 'x-spec-silent': 'Which shape comes where: either may come anywhere.' },
)

// Documented in two shapes, and read in any: what was paid for must not be lost with the shape that it comes in.
const anyRedeem: Shape<ReadonlyMap<string, unknown>> = {
  ...mapOf(redeemData, 'SKU'),
  read: (found, walk) => redeemBySku(found) ?? wrong(walk, 'an object keyed by SKU'),
}

/** Section 3 */
const state = described(text, {
  description: `One of ${Object.keys(states).join(', ')}.`,
  'x-spec-silent':
    'Which state is pending: created. What follows confirmed: processing, then any other. ' +
    'A state that is not documented passes.',
})

/** 2.4 */
export const order = object({
  uid: says(text, 'Order identifier.'),
  state,
  products: says(mapOf(productEntry, 'SKU'), 'Keyed by SKU.'),
  exchangeRates: list(exchangeRate),
  invoice,
  createdDate: timestamp,
  modifiedDate: timestamp,
  redeem: described(optional(nullable(anyRedeem)), {
    description: 'Keyed by SKU. Filled when the state is successful or partial.',
    'x-spec-silent': 'What stands here in other states: an empty object, null or nothing.',
  }),
  reference: says(text, 'The reference given at creation.'),
})

/** 2.9 */
export const createdOrder = object({
  id: says(text, 'Order identifier.'),
  exchangeRates: optional(list(exchangeRate)),
  invoice: described(invoice, {
    description: 'Wallet invoice.',
    'x-spec-silent': 'Its structure: that of the invoice in an order.',
  }),
  retailInvoice: described(invoice, {
    description: 'Retail invoice.',
    'x-spec-silent': 'Its structure and meaning: an invoice at face value, without the deal.',
  }),
  expiresAt: says(wholeNumber, 'UNIX timestamp in milliseconds at which the order or quote expires.'),
})

/** 4.2 */
export const confirmedOrder = object({ id: says(text, 'Order identifier.'), state })

/** 4.2: the request */
export const confirmRequest = object({
  orderId: says(
    {
      read: (value, walk) => (typeof value === 'string' && value !== '' ? value : wrong(walk, 'an order id')),
      schema: () => ({ type: 'string', minLength: 1 }),
    } satisfies Shape<string>,
    'Identifier of the order to confirm.',
  ),
})

const message = described(text, { 'x-spec-silent': 'The words of a 200 answer.' })
const answer = <Data>(data: Shape<Data>) => object({ message, data })

/** Section 4: the three answers. */
export const createAnswer = answer(createdOrder)
export const confirmAnswer = answer(confirmedOrder)
export const getAnswer = answer(order)

export type Timestamp = Read<typeof timestamp>
export type ExchangeRate = Read<typeof exchangeRate>
export type ProductEntry = Read<typeof productEntry>
export type InvoiceItem = Read<typeof invoiceItem>
export type InvoiceRecord = Read<typeof invoiceRecord>
export type Invoice = Read<typeof invoice>
export type Order = Read<typeof order>
export type CreatedOrder = Read<typeof createdOrder>
export type ConfirmedOrder = Read<typeof confirmedOrder>
