// Section 2: a schema for every object of the document. Unknown fields are kept, and unknown values of open
// enumerations pass: what the service adds tomorrow must not break a caller today.
// Zod's small dialect: the other takes 12 ms to load.
import * as z from 'zod/mini'
import { type Decimal, isDecimal, parseDecimal } from './decimal.ts'
import { redeemBySku } from './redeem-by-sku.ts'
import { states } from './states.ts'

/** A JSON number, read as an exact decimal. */
export const amount = z
  .pipe(
    z.custom<number | Decimal>((value) => toDecimal(value) !== undefined, { error: 'a number' }),
    z.transform((value) => toDecimal(value) as Decimal),
  )
  .check(z.meta({ type: 'number', description: 'An exact decimal: read its text, not a float.' }))

const toDecimal = (value: unknown): Decimal | undefined => {
  if (isDecimal(value)) return value
  return typeof value === 'number' ? parseDecimal(String(value)) : undefined
}

/** An object keyed by SKU, read as a Map: `__proto__` is a legal SKU. `name` is the value's in OpenAPI. */
const bySku = <Value extends z.ZodMiniType>(value: Value, name: string) =>
  z
    .pipe(
      z.custom<Record<string, z.input<Value>>>(
        (found) => typeof found === 'object' && found !== null && !Array.isArray(found),
        { error: 'an object keyed by SKU' },
      ),
      z.transform((found, { issues }) => {
        const map = new Map<string, z.output<Value>>()
        for (const [sku, entry] of Object.entries(found)) {
          const result = value.safeParse(entry)
          if (result.success) map.set(sku, result.data)
          else
            for (const issue of result.error.issues)
              issues.push({
                code: 'custom',
                message: issue.message,
                input: entry,
                path: [sku, ...issue.path],
              })
        }
        return map
      }),
    )
    .check(z.meta(keyedBySku(name)))

const keyedBySku = (name: string) => ({
  type: 'object' as const,
  description: 'Keyed by SKU.',
  additionalProperties: { $ref: `#/components/schemas/${name}` },
})

const object = <Fields extends z.core.$ZodLooseShape>(fields: Fields) =>
  z.looseObject(fields, { error: 'an object' })
const list = <Item extends z.ZodMiniType>(item: Item) => z.array(item, { error: 'a list' })

const text = z.string({ error: 'a text' })
const textOrNull = z.nullable(text)
const wholeNumber = z.int({ error: 'a whole number' })
const currency = text.check(z.describe('A currency code.'))

/** A text of which the document shows some values only. */
const open = (...seen: readonly string[]) =>
  text.check(
    z.meta({
      description: `Values seen: ${seen.join(', ')}.`,
      'x-spec-silent': 'Other values: any text passes.',
    }),
  )

/** 2.1 */
export const timestamp = object({
  _seconds: wholeNumber.check(z.describe('Seconds since the UNIX epoch.')),
  _nanoseconds: wholeNumber,
})

/** 2.3 */
export const exchangeRate = object({
  targetCurrency: currency,
  baseCurrency: currency,
  rate: amount.check(
    z.meta({
      'x-spec-silent': 'The direction: an amount in the target currency is that in the base currency × rate.',
    }),
  ),
  modifiedDate: timestamp,
})

const adjustment = object({ amount, adjustmentMode: open('percentage') })

/** 2.5 */
export const productEntry = object({
  sku: text,
  request: object({ quote: amount, quantity: wholeNumber }),
  customerDeal: object({ dealState: open('ACTIVE'), fee: adjustment, discount: adjustment }),
  shopItem: object({
    country: text.check(z.describe('A country code.')),
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
  effect: object({ amount: amount.check(z.describe('May be negative.')), currency }),
  metaData: z
    .optional(
      object({
        quantity: z.optional(wholeNumber),
        quote: z.optional(amount),
        targetCurrency: z.optional(currency),
        baseCurrency: z.optional(currency),
        rate: z.optional(amount),
        modifiedDate: z.optional(timestamp),
      }),
    )
    .check(z.meta({ 'x-spec-silent': 'Items of other types: they may come without.' })),
})

/** 2.7 */
export const invoiceRecord = object({
  total: z
    .record(text, amount, { error: 'an object keyed by currency' })
    .check(z.describe('Keyed by currency code.')),
  sku: text,
  items: list(invoiceItem),
})

/** 2.6 */
export const invoice = object({
  total: amount.check(
    z.refine((total) => total.gte('0'), { error: 'a total that is not negative' }),
    z.meta({ description: 'Total in the wallet currency.', minimum: 0 }),
  ),
  wallet: currency,
  records: list(invoiceRecord).check(z.describe('One record per SKU.')),
  paymentMethod: open('balance'),
  status: open('paid'),
})

/** 2.8, shape A */
export const redeemCards = object({
  redeemInstructions: z
    .nullable(
      object({
        tnc: textOrNull.check(z.describe('Terms, plain text.')),
        tncHtml: textOrNull.check(z.describe('Terms, HTML.')),
        redeem: textOrNull.check(z.describe('Redeem instructions, plain text.')),
        redeemHtml: textOrNull.check(z.describe('Redeem instructions, HTML.')),
        languageCode: textOrNull,
      }),
    )
    .check(z.describe('Filled only when the product issuer supplies it.')),
  cards: list(
    object({
      redeemLink: text,
      redeemCardCode: text,
      redeemSerialNumber: text,
      redeemPin: text,
      expirationDate: text.check(z.describe('A date and time.')),
    }).check(z.describe('Any of these may be an empty string.')),
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
  .check(z.meta({ 'x-spec-silent': 'Which shape comes where: either may come anywhere.' }))

// Documented in two shapes, and read in any: what was paid for must not be lost with the shape that it comes in.
const anyRedeem = z
  .pipe(
    z.custom<object>((found) => redeemBySku(found) !== undefined, { error: 'an object keyed by SKU' }),
    z.transform((found) => redeemBySku(found) as ReadonlyMap<string, unknown>),
  )
  .check(z.meta(keyedBySku('RedeemData')))

/** Section 3 */
const state = text.check(
  z.meta({
    description: `One of ${Object.keys(states).join(', ')}.`,
    'x-spec-silent':
      'Which state is pending: created. What follows confirmed: processing, then any other. ' +
      'A state that is not documented passes.',
  }),
)

/** 2.4 */
export const order = object({
  uid: text.check(z.describe('Order identifier.')),
  state,
  products: bySku(productEntry, 'ProductEntry'),
  exchangeRates: list(exchangeRate),
  invoice,
  createdDate: timestamp,
  modifiedDate: timestamp,
  redeem: z.nullish(anyRedeem).check(
    z.meta({
      description: 'Keyed by SKU. Filled when the state is successful or partial.',
      'x-spec-silent': 'What stands here in other states: an empty object, null or nothing.',
    }),
  ),
  reference: text.check(z.describe('The reference given at creation.')),
})

/** 2.9 */
export const createdOrder = object({
  id: text.check(z.describe('Order identifier.')),
  exchangeRates: z.optional(list(exchangeRate)),
  invoice: invoice.check(
    z.meta({
      description: 'Wallet invoice.',
      'x-spec-silent': 'Its structure: that of the invoice in an order.',
    }),
  ),
  retailInvoice: invoice.check(
    z.meta({
      description: 'Retail invoice.',
      'x-spec-silent': 'Its structure and meaning: an invoice at face value, without the deal.',
    }),
  ),
  expiresAt: wholeNumber.check(
    z.describe('UNIX timestamp in milliseconds at which the order or quote expires.'),
  ),
})

/** 4.2 */
export const confirmedOrder = object({ id: text.check(z.describe('Order identifier.')), state })

/** 4.2: the request */
export const confirmRequest = object({
  orderId: z
    .string({ error: 'an order id' })
    .check(z.minLength(1, { error: 'an order id' }), z.describe('Identifier of the order to confirm.')),
})

const message = text.check(z.meta({ 'x-spec-silent': 'The words of a 200 answer.' }))
const answer = <Data extends z.ZodMiniType>(data: Data) => object({ message, data })

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
