// Checks a catalogue file. Separate from catalogue.ts, because the built-in catalogue does not need these schemas.
import * as z from 'zod/mini'
import { type Decimal, getMinorDigits, isDecimal, roundTo, zero } from '../contract/money/decimal.ts'
import { amountSchema, collectViolations } from '../contract/order/order-request.ts'
import type { Violation } from '../contract/violations.ts'
import {
  behaviours,
  type Catalogue,
  cardFields,
  createCatalogue,
  instructionFields,
  type PricedProduct,
  type Product,
  pricedProduct,
  productDefaults,
} from './catalogue.ts'

const describeFields = (names: readonly string[]) => (issue: { readonly code?: string }) =>
  `${issue.code === 'unrecognized_keys' ? '' : 'an object with the fields '}${names.join(', ')}`
const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, { error: describeFields(Object.keys(shape)) })
const text = (pattern: RegExp, error: string) => z.string({ error }).check(z.regex(pattern, { error }))
const whole = (min: number, max: number, error: string) =>
  z
    .number({ error })
    .check(z.refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, { error }))
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: names.join(' or ') })
const decimalNumber = (allowed: string, isAllowed: (value: Decimal) => boolean) =>
  z.pipe(
    z.unknown(),
    z.transform((value, { issues }): Decimal => {
      const { data } = amountSchema.safeParse(value)
      if (data !== undefined && isAllowed(data)) return data
      issues.push({ code: 'custom', message: allowed, input: value })
      return z.NEVER
    }),
  )

const currency = text(/^[A-Z]{3}$/, 'a currency code such as USD')
// The store keeps minor units as integers. This amount still fits in a currency with four decimal places.
const maxAmount = '100000000000'
const isBelowMax = (n: Decimal): boolean => n.lte(maxAmount)
const positive = decimalNumber(`a number above 0, at most ${maxAmount}`, (n) => n.gt(zero) && isBelowMax(n))
const percent = decimalNumber('a percentage from 0 to 100', (n) => n.gte(zero) && n.lte('100'))
const balance = decimalNumber(`a number from 0 to ${maxAmount}`, (n) => n.gte(zero) && isBelowMax(n))

// Zod skips a check after an invalid field. This option runs every check, so that all violations are reported.
const always = { when: () => true }
type Context = z.core.$RefinementCtx
const reject = (context: Context, path: PropertyKey[], message: string) =>
  context.addIssue({ code: 'custom', path, message })
const readFields = (value: unknown) => (value ?? {}) as Readonly<Record<string, unknown>>

const checkAmounts = (value: unknown, context: Context): void => {
  const { currency: code, ...fields } = readFields(value)
  if (!currency.safeParse(code).success) return
  const digits = getMinorDigits(String(code))
  for (const field of ['quote', 'min', 'max', 'balance']) {
    const amount = fields[field]
    if (isDecimal(amount) && !roundTo(String(code), amount).eq(amount))
      reject(context, [field], `at most ${digits} decimal places in ${code}`)
  }
}

const checkPrice = (value: unknown, context: Context): void => {
  checkAmounts(value, context)
  const { productType, ...fields } = readFields(value)
  const typeOfField = { quote: 'fixed', min: 'range', max: 'range' }
  for (const [field, type] of Object.entries(typeOfField)) {
    const isPresent = fields[field] !== undefined
    const problem = isPresent ? 'only for' : 'a number above 0, required for'
    if (Object.values(typeOfField).includes(String(productType)) && isPresent !== (productType === type))
      reject(context, [field], `${problem} ${type} products`)
  }
  if (isDecimal(fields.min) && isDecimal(fields.max) && fields.min.gt(fields.max))
    reject(context, ['max'], 'at least min')
}

const list = <Item extends z.ZodMiniType>(item: Item, name: string, ...keys: [string, ...string[]]) =>
  z.array(item, { error: `a list of ${name}` }).check(
    z.superRefine((items: unknown, context) => {
      const seen = new Map<string, number>()
      for (const [index, entry] of (Array.isArray(items) ? items : []).entries()) {
        const values = keys.map((key) => readFields(entry)[key])
        if (!values.every((value) => typeof value === 'string')) continue
        const first = seen.get(values.join())
        const message = `a unique value; ${name}[${first}] has the same ${keys.join(' and ')}`
        if (first === undefined) seen.set(values.join(), index)
        else reject(context, [index, keys[0]], message)
      }
    }, always),
  )

const label = text(/\S/, 'a non-empty text')
const textOrNull = z.nullable(z.string({ error: 'a text or null' }))

const productFields = {
  // The rule of a create request, because a SKU that breaks it could not be ordered.
  sku: text(/^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, 'a non-empty text without control characters'),
  name: label,
  country: text(/^[A-Z]{2}$/, 'a country code such as US'),
  region: z._default(label, productDefaults.region),
  productType: oneOf(['fixed', 'range']),
  currency,
  quote: z.exactOptional(positive),
  min: z.exactOptional(positive),
  max: z.exactOptional(positive),
  fee: z._default(percent, productDefaults.fee),
  discount: z._default(percent, productDefaults.discount),
  stock: z.exactOptional(whole(0, Number.MAX_SAFE_INTEGER, 'a whole number, 0 or more')),
  redeemShape: z._default(oneOf(['A', 'B']), productDefaults.redeemShape),
  instructions: z._default(
    z.nullable(z.record(z.enum(instructionFields), textOrNull, { error: describeFields(instructionFields) })),
    productDefaults.instructions,
  ),
  expiresInDays: z._default(
    z.nullable(whole(1, 36500, 'a whole number from 1 to 36500, or null')),
    productDefaults.expiresInDays,
  ),
  behaviour: z.exactOptional(oneOf(behaviours)),
  withholds: z.exactOptional(z.array(oneOf(cardFields), { error: 'a list of card fields' })),
}

const product = z.pipe(
  object(productFields).check(z.superRefine(checkPrice, always)),
  z.transform(({ quote, min, max, ...rest }): Product => {
    if (quote !== undefined) return { ...rest, productType: 'fixed', quote }
    return { ...rest, productType: 'range', min: min as Decimal, max: max as Decimal }
  }),
)

const productList = <Item extends z.ZodMiniType>(item: Item) =>
  list(item, 'products', 'sku').check(z.minLength(1, { error: 'at least one product' }))

const wallet = object({ currency, balance }).check(z.superRefine(checkAmounts, always))
const rate = object({ baseCurrency: currency, targetCurrency: currency, rate: positive })

const file = z.pipe(
  object({
    products: productList(product),
    wallets: list(wallet, 'wallets', 'currency').check(z.minLength(1, { error: 'at least one wallet' })),
    rates: list(rate, 'rates', 'targetCurrency', 'baseCurrency'),
  }),
  z.transform(({ products, wallets, rates }) => createCatalogue(products, wallets, rates)),
)

// The products of a different service: an order needs only their prices.
const priceList = z.pipe(
  object({
    products: productList(
      object({
        ...productFields,
        name: z.exactOptional(label),
        country: z.exactOptional(productFields.country),
      }).check(z.superRefine(checkPrice, always)),
    ),
    wallets: z.optional(z.unknown()),
    rates: z.optional(z.unknown()),
  }),
  z.transform(({ products }) => products.map(pricedProduct)),
)

type Violations = { readonly violations: Violation[] }

/** Reads the products in a different service's catalogue file and ignores its wallets and rates. */
export const checkPriceList = (document: unknown): { products: readonly PricedProduct[] } | Violations => {
  const { data, error } = priceList.safeParse(document)
  return error === undefined ? { products: data } : { violations: collectViolations(error.issues, document) }
}

export const checkCatalogue = (document: unknown): { catalogue: Catalogue } | Violations => {
  const { data, error } = file.safeParse(document)
  return error === undefined ? { catalogue: data } : { violations: collectViolations(error.issues, document) }
}
