// Section 2: a schema for every object of the document. Unknown fields are kept, and unknown values of open
// enumerations pass: what the service adds tomorrow must not break a caller today.
import * as z from 'zod'
import { type Decimal, isDecimal, parseDecimal } from './decimal.ts'
import { redeemBySku } from './redeem-by-sku.ts'
import { states } from './states.ts'

/** A JSON number, read as an exact decimal. */
export const amount = z
  .custom<number | Decimal>((value) => toDecimal(value) !== undefined, { error: 'a number' })
  .transform((value) => toDecimal(value) as Decimal)
  .meta({ type: 'number', description: 'An exact decimal: read its text, not a float.' })

const toDecimal = (value: unknown): Decimal | undefined => {
  if (isDecimal(value)) return value
  return typeof value === 'number' ? parseDecimal(String(value)) : undefined
}

/** An object keyed by SKU, read as a Map: `__proto__` is a legal SKU. `name` is the value's in OpenAPI. */
const bySku = <Value extends z.ZodType>(value: Value, name: string) =>
  z
    .custom<Record<string, z.input<Value>>>(
      (found) => typeof found === 'object' && found !== null && !Array.isArray(found),
      { error: 'an object keyed by SKU' },
    )
    .transform((found, context) => {
      const map = new Map<string, z.output<Value>>()
      for (const [sku, entry] of Object.entries(found)) {
        const result = value.safeParse(entry)
        if (result.success) map.set(sku, result.data)
        else
          for (const issue of result.error.issues)
            context.addIssue({ code: 'custom', message: issue.message, path: [sku, ...issue.path] })
      }
      return map
    })
    .meta(keyedBySku(name))

const keyedBySku = (name: string) => ({
  type: 'object' as const,
  description: 'Keyed by SKU.',
  additionalProperties: { $ref: `#/components/schemas/${name}` },
})

const object = <Fields extends z.core.$ZodLooseShape>(fields: Fields) =>
  z.looseObject(fields, { error: 'an object' })
const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: 'a list' })

const text = z.string({ error: 'a text' })
const textOrNull = text.nullable()
const wholeNumber = z.int({ error: 'a whole number' })
const currency = text.describe('A currency code.')

/** A text of which the document shows some values only. */
const open = (...seen: readonly string[]) =>
  text.meta({
    description: `Values seen: ${seen.join(', ')}.`,
    'x-spec-silent': 'Other values: any text passes.',
  })

/** 2.1 */
export const timestamp = object({
  _seconds: wholeNumber.describe('Seconds since the UNIX epoch.'),
  _nanoseconds: wholeNumber,
})

/** 2.3 */
export const exchangeRate = object({
  targetCurrency: currency,
  baseCurrency: currency,
  rate: amount.meta({
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
    country: text.describe('A country code.'),
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
  effect: object({ amount: amount.describe('May be negative.'), currency }),
  metaData: object({
    quantity: wholeNumber.optional(),
    quote: amount.optional(),
    targetCurrency: currency.optional(),
    baseCurrency: currency.optional(),
    rate: amount.optional(),
    modifiedDate: timestamp.optional(),
  })
    .optional()
    .meta({ 'x-spec-silent': 'Items of other types: they may come without.' }),
})

/** 2.7 */
export const invoiceRecord = object({
  total: z.record(text, amount, { error: 'an object keyed by currency' }).describe('Keyed by currency code.'),
  sku: text,
  items: list(invoiceItem),
})

/** 2.6 */
export const invoice = object({
  total: amount
    .refine((total) => total.gte('0'), { error: 'a total that is not negative' })
    .meta({ description: 'Total in the wallet currency.', minimum: 0 }),
  wallet: currency,
  records: list(invoiceRecord).describe('One record per SKU.'),
  paymentMethod: open('balance'),
  status: open('paid'),
})

/** 2.8, shape A */
export const redeemCards = object({
  redeemInstructions: object({
    tnc: textOrNull.describe('Terms, plain text.'),
    tncHtml: textOrNull.describe('Terms, HTML.'),
    redeem: textOrNull.describe('Redeem instructions, plain text.'),
    redeemHtml: textOrNull.describe('Redeem instructions, HTML.'),
    languageCode: textOrNull,
  })
    .nullable()
    .describe('Filled only when the product issuer supplies it.'),
  cards: list(
    object({
      redeemLink: text,
      redeemCardCode: text,
      redeemSerialNumber: text,
      redeemPin: text,
      expirationDate: text.describe('A date and time.'),
    }).describe('Any of these may be an empty string.'),
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
export const redeemData = z
  .union([redeemCards, redeemPins], { error: 'redeem data in one of the two documented shapes' })
  .meta({ 'x-spec-silent': 'Which shape comes where: either may come anywhere.' })

// Documented in two shapes, and read in any: what was paid for must not be lost with the shape that it comes in.
const anyRedeem = z
  .custom<object>((found) => redeemBySku(found) !== undefined, { error: 'an object keyed by SKU' })
  .transform((found) => redeemBySku(found) as ReadonlyMap<string, unknown>)
  .meta(keyedBySku('RedeemData'))

/** Section 3 */
const state = text.meta({
  description: `One of ${Object.keys(states).join(', ')}.`,
  'x-spec-silent':
    'Which state is pending: created. What follows confirmed: processing, then any other. ' +
    'A state that is not documented passes.',
})

/** 2.4 */
export const order = object({
  uid: text.describe('Order identifier.'),
  state,
  products: bySku(productEntry, 'ProductEntry'),
  exchangeRates: list(exchangeRate),
  invoice,
  createdDate: timestamp,
  modifiedDate: timestamp,
  redeem: anyRedeem.nullish().meta({
    description: 'Keyed by SKU. Filled when the state is successful or partial.',
    'x-spec-silent': 'What stands here in other states: an empty object, null or nothing.',
  }),
  reference: text.describe('The reference given at creation.'),
})

/** 2.9 */
export const createdOrder = object({
  id: text.describe('Order identifier.'),
  exchangeRates: list(exchangeRate).optional(),
  invoice: invoice.meta({
    description: 'Wallet invoice.',
    'x-spec-silent': 'Its structure: that of the invoice in an order.',
  }),
  retailInvoice: invoice.meta({
    description: 'Retail invoice.',
    'x-spec-silent': 'Its structure and meaning: an invoice at face value, without the deal.',
  }),
  expiresAt: wholeNumber.describe('UNIX timestamp in milliseconds at which the order or quote expires.'),
})

/** 4.2 */
export const confirmedOrder = object({ id: text.describe('Order identifier.'), state })

/** 4.2: the request */
export const confirmRequest = object({
  orderId: z
    .string({ error: 'an order id' })
    .min(1, { error: 'an order id' })
    .describe('Identifier of the order to confirm.'),
})

const message = text.meta({ 'x-spec-silent': 'The words of a 200 answer.' })
const answer = <Data extends z.ZodType>(data: Data) => object({ message, data })

/** Section 4: the three answers. */
export const createAnswer = answer(createdOrder)
export const confirmAnswer = answer(confirmedOrder)
export const getAnswer = answer(order)

export type Timestamp = z.output<typeof timestamp>
export type ExchangeRate = z.output<typeof exchangeRate>
export type ProductEntry = z.output<typeof productEntry>
export type InvoiceItem = z.output<typeof invoiceItem>
export type InvoiceRecord = z.output<typeof invoiceRecord>
export type Invoice = z.output<typeof invoice>
export type Order = z.output<typeof order>
export type CreatedOrder = z.output<typeof createdOrder>
export type ConfirmedOrder = z.output<typeof confirmedOrder>
