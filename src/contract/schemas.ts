// Section 2: a schema for every object of the document. Unknown fields are kept, and unknown values of open
// enumerations pass: what the service adds tomorrow must not break a caller today.
import * as z from 'zod'
import { type Decimal, isDecimal, parseDecimal } from './decimal.ts'

/** A JSON number, read as an exact decimal. */
export const amount = z
  .custom<number | Decimal>((value) => toDecimal(value) !== undefined, { error: 'a number' })
  .transform((value) => toDecimal(value) as Decimal)
  .meta({ type: 'number' })

const toDecimal = (value: unknown): Decimal | undefined => {
  if (isDecimal(value)) return value
  return typeof value === 'number' ? parseDecimal(String(value)) : undefined
}

/** An object keyed by SKU, read as a Map: `__proto__` is a legal SKU. */
const bySku = <Value extends z.ZodType>(value: Value) =>
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
    .meta({ type: 'object', additionalProperties: jsonSchemaOf(value) })

const jsonSchemaOf = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}

const text = z.string({ error: 'a text' })
const textOrNull = text.nullable()
const wholeNumber = z.int({ error: 'a whole number' })

/** 2.1 */
export const timestamp = z.looseObject({ _seconds: wholeNumber, _nanoseconds: wholeNumber })

/** 2.3 */
export const exchangeRate = z.looseObject({
  targetCurrency: text,
  baseCurrency: text,
  rate: amount,
  modifiedDate: timestamp,
})

const adjustment = z.looseObject({ amount, adjustmentMode: text })

/** 2.5 */
export const productEntry = z.looseObject({
  sku: text,
  request: z.looseObject({ quote: amount, quantity: wholeNumber }),
  customerDeal: z.looseObject({ dealState: text, fee: adjustment, discount: adjustment }),
  shopItem: z.looseObject({
    country: text,
    quote: amount,
    name: text,
    region: text,
    productType: text,
    baseCurrency: text,
  }),
})

/** 2.7 */
export const invoiceItem = z.looseObject({
  type: text,
  description: text,
  effect: z.looseObject({ amount, currency: text }),
  metaData: z
    .looseObject({
      quantity: wholeNumber.optional(),
      quote: amount.optional(),
      targetCurrency: text.optional(),
      baseCurrency: text.optional(),
      rate: amount.optional(),
      modifiedDate: timestamp.optional(),
    })
    // Spec silent on items of other types: they may come without.
    .optional(),
})

/** 2.7 */
export const invoiceRecord = z.looseObject({
  total: z.record(text, amount),
  sku: text,
  items: z.array(invoiceItem),
})

/** 2.6 */
export const invoice = z.looseObject({
  total: amount.refine((total) => total.gte('0'), { error: 'a total that is not negative' }),
  wallet: text,
  records: z.array(invoiceRecord),
  paymentMethod: text,
  status: text,
})

/** 2.8, shape A */
export const redeemCards = z.looseObject({
  redeemInstructions: z
    .looseObject({
      tnc: textOrNull,
      tncHtml: textOrNull,
      redeem: textOrNull,
      redeemHtml: textOrNull,
      languageCode: textOrNull,
    })
    .nullable(),
  cards: z.array(
    z.looseObject({
      redeemLink: text,
      redeemCardCode: text,
      redeemSerialNumber: text,
      redeemPin: text,
      expirationDate: text,
    }),
  ),
  currency: text,
  value: amount,
})

/** 2.8, shape B */
export const redeemPins = z.looseObject({
  redeemPin: z.array(text),
  currency: text,
  redeemLink: text,
  value: amount,
})

/** 2.8: which shape comes where is not documented, so either may come anywhere. */
export const redeemData = z.union([redeemCards, redeemPins])

/** 2.4 */
export const order = z.looseObject({
  uid: text,
  state: text,
  products: bySku(productEntry),
  exchangeRates: z.array(exchangeRate),
  invoice,
  createdDate: timestamp,
  modifiedDate: timestamp,
  // Spec silent on what stands here before the order is successful or partial.
  redeem: bySku(redeemData).nullish(),
  reference: text,
})

/** 2.9 */
export const createdOrder = z.looseObject({
  id: text,
  exchangeRates: z.array(exchangeRate).optional(),
  invoice,
  retailInvoice: invoice,
  expiresAt: wholeNumber,
})

/** 4.2 */
export const confirmedOrder = z.looseObject({ id: text, state: text })

/** 4.2: the request */
export const confirmRequest = z.looseObject({
  orderId: z.string({ error: 'an order id' }).min(1, { error: 'an order id' }),
})

const answer = <Data extends z.ZodType>(data: Data) => z.looseObject({ message: text, data })

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
