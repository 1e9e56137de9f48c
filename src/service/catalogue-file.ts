// A catalogue's file, checked whole. Apart from the catalogue itself: nobody who sells the built-in products
// needs these schemas, and making them takes time.
import * as z from 'zod/mini'
import { type Decimal, isDecimal, minorDigits, roundTo, zero } from '../contract/decimal.ts'
import { amount } from '../contract/order-request.ts'
import { type Violation, violationsOf } from '../contract/violations.ts'
import {
  behaviours,
  type Catalogue,
  cardFields,
  catalogueOf,
  type PricedProduct,
  type Product,
  pricedProduct,
  texts,
} from './catalogue.ts'

const only = (names: readonly string[]) => (issue: { readonly code?: string }) =>
  `${issue.code === 'unrecognized_keys' ? 'only' : 'an object of'} the fields ${names.join(', ')}`
const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, { error: only(Object.keys(shape)) })
const text = (pattern: RegExp, error: string) => z.string({ error }).check(z.regex(pattern, { error }))
const whole = (min: number, max: number, error: string) =>
  z.number({ error }).check(z.refine((n) => Number.isSafeInteger(n) && n >= min && n <= max, { error }))
const oneOf = <const V extends readonly string[]>(all: V) => z.enum(all, { error: all.join(' or ') })
const number = (fits: (value: Decimal) => boolean, allowed: string) =>
  z.pipe(
    z.unknown(),
    z.transform((value, { issues }): Decimal => {
      const { data } = amount.safeParse(value)
      if (data !== undefined && fits(data)) return data
      issues.push({ code: 'custom', message: allowed, input: value })
      return z.NEVER
    }),
  )

const currency = text(/^[A-Z]{3}$/, 'a currency code such as USD')
// The store counts minor units in integers: this many of a currency with four digits still fit.
const most = '100000000000'
const positive = number((value) => value.gt(zero) && value.lte(most), `a number above 0, at most ${most}`)
const percent = number((value) => value.gte(zero) && value.lte('100'), 'a percentage from 0 to 100')
const balance = number((value) => value.gte(zero) && value.lte(most), `a number from 0 to ${most}`)

// Zod skips a check once a field is wrong; these run on anything, so that all that is wrong is told at once.
const always = { when: () => true }
type Context = z.core.$RefinementCtx
const wrong = (context: Context, path: PropertyKey[], message: string) =>
  context.addIssue({ code: 'custom', path, message })
const fieldsOf = (value: unknown) => (value ?? {}) as Readonly<Record<string, unknown>>

const payable = (value: unknown, context: Context): void => {
  const { currency: code, ...fields } = fieldsOf(value)
  if (!currency.safeParse(code).success) return
  const digits = minorDigits(String(code))
  for (const field of ['quote', 'min', 'max', 'balance']) {
    const found = fields[field]
    if (isDecimal(found) && !roundTo(String(code), found).eq(found))
      wrong(context, [field], `at most ${digits} decimal places, as ${code} has`)
  }
}

const priced = (value: unknown, context: Context): void => {
  payable(value, context)
  const { productType, ...fields } = fieldsOf(value)
  const owners = { quote: 'fixed', min: 'range', max: 'range' }
  for (const [field, owner] of Object.entries(owners)) {
    const has = fields[field] !== undefined
    if (Object.values(owners).includes(String(productType)) && has !== (productType === owner))
      wrong(context, [field], `${has ? 'only on' : 'a number above 0, as on all'} ${owner} products`)
  }
  if (isDecimal(fields.min) && isDecimal(fields.max) && fields.min.gt(fields.max))
    wrong(context, ['max'], 'no less than min')
}

const list = <Item extends z.ZodMiniType>(item: Item, name: string, ...keys: [string, ...string[]]) =>
  z.array(item, { error: `a list of ${name}` }).check(
    z.superRefine((items: unknown, context) => {
      const seen = new Map<string, number>()
      for (const [index, entry] of (Array.isArray(items) ? items : []).entries()) {
        const values = keys.map((key) => fieldsOf(entry)[key])
        if (!values.every((value) => typeof value === 'string')) continue
        const first = seen.get(values.join())
        if (first === undefined) seen.set(values.join(), index)
        else wrong(context, [index, keys[0]], `unique; ${name}[${first}] has the same ${keys.join(' and ')}`)
      }
    }, always),
  )

const label = text(/\S/, 'a text, not empty')
const textOrNull = z.nullable(z.string({ error: 'a text or null' }))

const described = {
  // As in a create request: what cannot be ordered is not for sale.
  sku: text(/^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, 'a text, not empty, no control characters'),
  name: label,
  country: text(/^[A-Z]{2}$/, 'a country code such as US'),
  region: z._default(label, 'local'),
  productType: oneOf(['fixed', 'range']),
  currency,
  quote: z.exactOptional(positive),
  min: z.exactOptional(positive),
  max: z.exactOptional(positive),
  fee: z._default(percent, zero),
  discount: z._default(percent, zero),
  stock: z.exactOptional(whole(0, Number.MAX_SAFE_INTEGER, 'a whole number from 0 up')),
  redeemShape: z._default(oneOf(['A', 'B']), 'A'),
  instructions: z._default(z.nullable(z.record(z.enum(texts), textOrNull, { error: only(texts) })), null),
  expiresInDays: z._default(z.nullable(whole(1, 36500, 'a whole number from 1 to 36500, or null')), null),
  behaviour: z.exactOptional(oneOf(behaviours)),
  withholds: z.exactOptional(z.array(oneOf(cardFields), { error: 'a list of card fields' })),
}

const product = z.pipe(
  object(described).check(z.superRefine(priced, always)),
  z.transform(({ quote, min, max, ...rest }): Product => {
    if (quote !== undefined) return { ...rest, productType: 'fixed', quote }
    return { ...rest, productType: 'range', min: min as Decimal, max: max as Decimal }
  }),
)

const someProducts = <Item extends z.ZodMiniType>(item: Item) =>
  list(item, 'products', 'sku').check(z.minLength(1, { error: 'at least one product' }))

const wallet = object({ currency, balance }).check(z.superRefine(payable, always))
const rate = object({ baseCurrency: currency, targetCurrency: currency, rate: positive })

const file = z.pipe(
  object({
    products: someProducts(product),
    wallets: list(wallet, 'wallets', 'currency').check(z.minLength(1, { error: 'at least one wallet' })),
    rates: list(rate, 'rates', 'targetCurrency', 'baseCurrency'),
  }),
  z.transform(({ products, wallets, rates }) => catalogueOf(products, wallets, rates)),
)

// What is sold elsewhere: to order it, a price will do.
const priceList = z.pipe(
  object({
    products: someProducts(
      object({
        ...described,
        name: z.exactOptional(label),
        country: z.exactOptional(described.country),
      }).check(z.superRefine(priced, always)),
    ),
    wallets: z.optional(z.unknown()),
    rates: z.optional(z.unknown()),
  }),
  z.transform(({ products }) => products.map(pricedProduct)),
)

/** A file of the same form, of another service's products: their prices alone are read, wallets and rates are not. */
export const checkPriceList = (
  document: unknown,
): { products: readonly PricedProduct[] } | { violations: Violation[] } => {
  const { data, error } = priceList.safeParse(document)
  return error === undefined ? { products: data } : { violations: violationsOf(error.issues, document) }
}

export const checkCatalogue = (document: unknown): { catalogue: Catalogue } | { violations: Violation[] } => {
  const { data, error } = file.safeParse(document)
  return error === undefined ? { catalogue: data } : { violations: violationsOf(error.issues, document) }
}
