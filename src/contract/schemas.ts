// The shapes of all objects in order-service.md 2. Unknown fields and values are accepted, so that additions to the
// service do not break orderctl.
import { orderLimits } from './limits.ts'
import {
  addIssue,
  amountShape,
  currency,
  currencyTotals,
  describe,
  isObject,
  listShape,
  mapOf,
  nullable,
  object,
  optional,
  refine,
  type Shape,
  type ShapeData,
  textShape,
  union,
  walletCurrency,
  wholeNumber,
} from './shape.ts'
import { stateNames } from './states.ts'

const textOrNull = nullable(textShape)

/** A text for which the document shows only some values. */
const openText = (...seen: readonly string[]): Shape<string> => ({
  ...textShape,
  schema: () => ({
    anyOf: [{ type: 'string', enum: seen }, { type: 'string' }],
    'x-spec-silent': 'Other values: any text passes.',
  }),
})

/** 2.1 */
export const timestamp = object({
  _seconds: describe(wholeNumber, { description: 'Seconds since the UNIX epoch.', format: 'int64' }),
  _nanoseconds: describe(wholeNumber, { minimum: 0, maximum: 999_999_999 }),
})

/** 2.3 */
export const exchangeRate = object({
  targetCurrency: currency,
  baseCurrency: currency,
  rate: describe(amountShape, {
    'x-spec-silent':
      'The direction: the amount in the base currency × rate is the amount in the target currency.',
  }),
  modifiedDate: timestamp,
})

const adjustment = object({ amount: amountShape, adjustmentMode: openText('percentage') })

/** 2.5 */
export const productEntry = object({
  sku: textShape,
  request: object({
    quote: amountShape,
    quantity: describe(wholeNumber, { minimum: 1, maximum: orderLimits.quantityPerSku }),
  }),
  customerDeal: object({ dealState: openText('ACTIVE'), fee: adjustment, discount: adjustment }),
  shopItem: object({
    country: describe(textShape, 'A country code.'),
    quote: amountShape,
    name: textShape,
    region: openText('local'),
    productType: openText('range', 'fixed'),
    baseCurrency: currency,
  }),
})

/** 2.7 */
export const invoiceItem = object({
  type: openText('main-product', 'exchange-target-currency', 'exchange-base-currency'),
  description: textShape,
  effect: object({ amount: describe(amountShape, 'May be negative.'), currency }),
  metaData: describe(
    optional(
      object({
        quantity: optional(wholeNumber),
        quote: optional(amountShape),
        targetCurrency: optional(currency),
        baseCurrency: optional(currency),
        rate: optional(amountShape),
        modifiedDate: optional(timestamp),
      }),
    ),
    { 'x-spec-silent': 'Items of other types: they may come without.' },
  ),
})

/** 2.7 */
export const invoiceRecord = object({
  total: describe(currencyTotals, 'Keyed by currency code.'),
  sku: textShape,
  items: listShape(invoiceItem),
})

/** 2.6 */
export const invoice = object({
  total: describe(
    refine(amountShape, (total) => total.gte('0'), 'a total that is not negative'),
    { description: 'Total in the wallet currency.', minimum: 0 },
  ),
  wallet: walletCurrency,
  records: describe(listShape(invoiceRecord), 'One record per SKU.'),
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
  cards: listShape(
    describe(
      object({
        redeemLink: textShape,
        redeemCardCode: textShape,
        redeemSerialNumber: textShape,
        redeemPin: textShape,
        expirationDate: describe(textShape, 'A date and time.'),
      }),
      'Any of these may be an empty string.',
    ),
  ),
  currency,
  value: amountShape,
})

/** 2.8, shape B */
export const redeemPins = object({
  redeemPin: listShape(textShape),
  currency,
  redeemLink: textShape,
  value: amountShape,
})

/** 2.8 does not say which product has which shape. */
export const redeemData = describe(
  union<ShapeData<typeof redeemCards> | ShapeData<typeof redeemPins>>(
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

/**
 * 3. With any other text beside the enum, TypeScript would take the type for `string`, and compile a misspelled state.
 */
const state = describe(textShape, {
  enum: stateNames,
  'x-spec-silent':
    'Which state is pending: created. What follows confirmed: processing, then any other. ' +
    'A client should expect other states, too.',
})

/** 2.4 */
export const order = object({
  uid: describe(textShape, 'Order identifier.'),
  state,
  products: describe(mapOf(productEntry, 'SKU'), {
    ...{ description: 'Keyed by SKU.', minProperties: 1, maxProperties: orderLimits.skusPerOrder },
  }),
  exchangeRates: listShape(exchangeRate),
  invoice,
  createdDate: timestamp,
  modifiedDate: timestamp,
  redeem: describe(optional(nullable(anyRedeem)), {
    description: 'Keyed by SKU. Filled when the state is successful or partial.',
    'x-spec-silent': 'The value in other states: an empty object, null or nothing.',
  }),
  reference: describe(textShape, 'The reference given at creation.'),
})

/** 2.9 */
export const createdOrder = object({
  id: describe(textShape, 'Order identifier.'),
  exchangeRates: optional(listShape(exchangeRate)),
  invoice: describe(invoice, {
    description: 'Wallet invoice.',
    'x-spec-silent': 'Its structure: that of the invoice in an order.',
  }),
  retailInvoice: describe(invoice, {
    description: 'Retail invoice.',
    'x-spec-silent': 'Its structure and meaning: an invoice at face value, without the deal.',
  }),
  expiresAt: describe(wholeNumber, {
    description: 'UNIX timestamp in milliseconds at which the order or quote expires.',
    format: 'int64',
  }),
})

/** 4.2 */
export const confirmedOrder = object({ id: describe(textShape, 'Order identifier.'), state })

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

const message = describe(textShape, { 'x-spec-silent': 'The text of the message of a 200 response.' })
const createResponseShape = <Data>(data: Shape<Data>) => object({ message, data })

/** 4.1, 4.2 and 4.3 */
export const createResponse = createResponseShape(createdOrder)
export const confirmResponse = createResponseShape(confirmedOrder)
export const getResponse = createResponseShape(order)

export type Timestamp = ShapeData<typeof timestamp>
export type ExchangeRate = ShapeData<typeof exchangeRate>
export type ProductEntry = ShapeData<typeof productEntry>
export type InvoiceItem = ShapeData<typeof invoiceItem>
export type InvoiceRecord = ShapeData<typeof invoiceRecord>
export type Invoice = ShapeData<typeof invoice>
export type Order = ShapeData<typeof order>
export type CreatedOrder = ShapeData<typeof createdOrder>
export type ConfirmedOrder = ShapeData<typeof confirmedOrder>

const getKey = (entry: unknown, index: number): string =>
  isObject(entry) && typeof entry.sku === 'string' ? entry.sku : String(index)

/** Accepts a list, too: some servers write an empty object as an empty list. Returns undefined for other values. */
const groupRedeemBySku = (found: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (isObject(found)) return new Map(Object.entries(found))
  if (!Array.isArray(found)) return undefined
  const bySku = [...Map.groupBy(found, getKey)]
  return new Map(bySku.map(([sku, entries]) => [sku, entries.length === 1 ? entries[0] : entries]))
}
