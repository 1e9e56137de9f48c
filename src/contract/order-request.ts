// Sections 2.2, 4.1 and 8: the create request, checked whole before anything is sent.
import * as z from 'zod/mini'
import type { Decimal } from './decimal.ts'
import { limits } from './limits.ts'
import { toDecimal } from './shape.ts'
import { type Violation, violationAt, violationsOf } from './violations.ts'

/** A JSON number, read as an exact decimal. */
export const amount = z.pipe(
  z.custom<number | Decimal>((value) => toDecimal(value) !== undefined, { error: 'a number' }),
  z.transform((value) => toDecimal(value) as Decimal),
)

// Control characters have no place in a reference or an address; lone surrogates are no text at all.
const plain = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u

const label = (allowed: string) =>
  z.string({ error: allowed }).check(
    z.refine((value) => value.trim() !== '' && plain.test(value), {
      error: `${allowed}, not empty, without control characters`,
      abort: true,
    }),
    z.meta({ minLength: 1 }),
  )

const wholeQuantity = `a whole number from 1 to ${limits.quantityPerSku}`

const quantity = z
  .int({ error: wholeQuantity })
  .check(
    z.minimum(1, { error: wholeQuantity }),
    z.maximum(limits.quantityPerSku, { error: wholeQuantity }),
    z.describe('Number of units.'),
  )

const quote = amount.check(
  z.refine((value) => value.gt('0'), { error: 'a number above 0' }),
  z.meta({
    type: 'number',
    exclusiveMinimum: 0,
    description:
      'Amount requested for the product. It must match the SKU or, for a range product, lie in its range.',
    'x-spec-silent': 'Whether for one unit or for all of them: for one.',
  }),
)

const webhookUrl = label('an http or https address').check(
  z.refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
    error: 'an http or https address',
  }),
  z.meta({ format: 'uri' }),
)

type Shape = z.core.$ZodLooseShape
type ObjectMaker = <Fields extends Shape>(fields: Fields) => z.ZodMiniObject<Fields, z.core.$strip>

const requestOf = (object: ObjectMaker) =>
  object({
    productList: z
      .array(
        object({
          sku: label('a product identifier').check(
            z.describe('Product identifier. Unique within one order.'),
          ),
          productType: label('a product type such as fixed or range').check(
            z.meta({
              description: 'Values seen: range, fixed.',
              'x-spec-silent': 'Other values: any text passes.',
            }),
          ),
          quote,
          quantity,
        }),
        { error: 'a list of products' },
      )
      .check(
        z.minLength(1, { error: 'at least one product' }),
        // Judged in listViolations: here it would keep the lines from being read.
        z.meta({
          maxItems: limits.skusPerOrder,
          description: `Products in the order: ${limits.quantityPerOrder} units in all at most.`,
        }),
      ),
    wallet: z.string({ error: 'a currency code such as USD' }).check(
      z.regex(/^[A-Z][A-Z0-9]{2,9}$/, { error: 'a currency code in capital letters, such as USD' }),
      z.meta({
        description: 'Wallet to pay from, a currency code.',
        'x-spec-silent': 'Other values: none passes.',
      }),
    ),
    reference: label('a reference of your own').check(z.describe('Reference for the order.')),
    webhookUrl: z.optional(webhookUrl).check(z.describe('Address to which the order is delivered.')),
  })

// One description, two readers: a service overlooks a field that it does not know, but in an order file that
// is a mistyped word, and money.
export const lenientRequest = requestOf((fields) => z.object(fields, { error: 'a JSON object' }))
export const strictRequest = requestOf(
  (fields) =>
    z.strictObject(fields, {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? `the fields ${Object.keys(fields).join(', ')}` : 'a JSON object',
    }) as unknown as z.ZodMiniObject<typeof fields, z.core.$strip>,
)

export type OrderRequest = z.output<typeof lenientRequest>
export type ProductLine = OrderRequest['productList'][number]

export type Checked = { readonly request: OrderRequest } | { readonly violations: readonly Violation[] }

/** Reads a create request; every violation is reported, not the first alone. */
export const checkOrderRequest = (document: unknown, unknownFields: 'refused' | 'overlooked'): Checked => {
  const result = (unknownFields === 'refused' ? strictRequest : lenientRequest).safeParse(document)
  const violations = [
    ...(result.success ? [] : violationsOf(result.error.issues, document)),
    ...listViolations(document),
  ]
  return result.success && violations.length === 0 ? { request: result.data } : { violations }
}

// What concerns the list as a whole is judged on the document itself: one bad line must not hide the rest.
const listViolations = (document: unknown): Violation[] => {
  const list = (document as { productList?: unknown } | null | undefined)?.productList
  if (!Array.isArray(list)) return []
  const found: Violation[] = []
  if (list.length > limits.skusPerOrder) {
    found.push(tooBig(`${list.length} lines`, `at most ${limits.skusPerOrder} SKUs in one order`))
  }
  const firstBySku = new Map<string, number>()
  let total = 0
  for (const [index, line] of list.entries()) {
    const { sku, quantity } = (line ?? {}) as { sku?: unknown; quantity?: unknown }
    if (Number.isInteger(quantity)) total += Math.max(0, quantity as number)
    if (typeof sku !== 'string') continue
    const first = firstBySku.get(sku)
    if (first === undefined) firstBySku.set(sku, index)
    else
      found.push(
        violationAt(
          document,
          ['productList', index, 'sku'],
          `unique in one order; productList[${first}] has it`,
        ),
      )
  }
  if (total > limits.quantityPerOrder) {
    found.push(tooBig(`${total} units in all`, `at most ${limits.quantityPerOrder} units in one order`))
  }
  return found
}

const tooBig = (given: string, allowed: string): Violation => ({
  path: 'productList',
  given,
  allowed,
  tooBig: true,
})
