// Checks a complete create request before it is sent (order-service.md 2.2, 4.1 and 8). Also describes what zod refuses.
import * as z from 'zod/mini'
import { askForNearest, findNearest } from '../../text/words.ts'
import { allowedValues, describeLabel, isLabel, orderLimits } from '../limits.ts'
import type { Decimal } from '../money/decimal.ts'
import { currencyForm, normalizeCurrency, toDecimal } from '../shape.ts'
import { createViolation, formatGiven, formatPath, type Path, type Violation } from '../violations.ts'

const createAmount = (allowed: string) =>
  z.pipe(
    z.custom<number | Decimal>((value) => toDecimal(value) !== undefined, { error: allowed }),
    z.transform((value) => toDecimal(value) as Decimal),
  )

export const amountSchema = createAmount('a number')

const createLabel = (allowed: string) =>
  z
    .string({ error: allowed })
    .check(
      z.refine(isLabel, { error: describeLabel(allowed), abort: true }),
      z.meta({ minLength: 1, pattern: '\\S' }),
    )

const wholeQuantity = `a whole number from 1 to ${orderLimits.quantityPerSku}`

const quantity = z
  .int({ error: wholeQuantity })
  .check(
    z.minimum(1, { error: wholeQuantity }),
    z.maximum(orderLimits.quantityPerSku, { error: wholeQuantity }),
    z.describe('Number of units.'),
  )

// The example shows the decimal separator.
const quote = createAmount(`${allowedValues.quote}, such as 25 or 12.50`).check(
  z.refine((value) => value.gt('0'), { error: allowedValues.quote }),
  z.meta({
    type: 'number',
    exclusiveMinimum: 0,
    description:
      'Amount requested for the product. It must match the SKU or, for a range product, lie in its range.',
    'x-spec-silent': 'Whether for one unit or for all of them: for one.',
  }),
)

const webhookUrl = createLabel('an http or https address').check(
  z.refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
    error: 'an http or https address',
  }),
  z.meta({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }),
)

const wallet = z
  .pipe(
    z
      .string({ error: currencyForm })
      .check(z.refine((text) => normalizeCurrency(text) !== undefined, { error: currencyForm })),
    z.transform((text: string) => normalizeCurrency(text) ?? text),
  )
  .check(
    z.meta({
      type: 'string',
      pattern: '^\\s*[A-Za-z0-9]{2,12}\\s*$',
      description: 'Wallet to pay from, a currency code of 2 to 12 letters and digits.',
      'x-spec-silent': 'Letter case and surrounding spaces make no difference.',
    }),
  )

const createRequestSchema = (create: typeof z.object) => {
  const object: typeof z.object = (fields) =>
    create(fields, {
      error: ({ code }) =>
        code === 'unrecognized_keys' ? Object.keys(fields ?? {}).join(', ') : 'a JSON object',
    })
  return object({
    productList: z
      .array(
        object({
          sku: createLabel(allowedValues.sku).check(
            z.describe('Product identifier. Unique within one order.'),
          ),
          productType: createLabel(allowedValues.productType).check(
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
        // findListViolations checks maxItems, because a failed check here would hide the violations of the lines.
        z.meta({
          maxItems: orderLimits.skusPerOrder,
          description: `Products in the order: ${orderLimits.quantityPerOrder} units in all at most.`,
        }),
      ),
    wallet,
    reference: createLabel(allowedValues.reference).check(z.describe('Reference for the order.')),
    webhookUrl: z.optional(webhookUrl).check(z.describe('Address to which the order is delivered.')),
  })
}

// The service ignores unknown fields, but in an order file an unknown field is probably a typing error.
export const lenientRequest = createRequestSchema(z.object)
export const strictRequest = createRequestSchema(z.strictObject as typeof z.object)

export type OrderRequest = z.output<typeof lenientRequest>
export type ProductLine = OrderRequest['productList'][number]

/** `request` is undefined if there are violations. */
type CheckedRequest = {
  readonly request: OrderRequest | undefined
  readonly violations: readonly Violation[]
}

/** Reports all violations, not only the first. `writeLine`: a line of this index, with this quantity. */
export const checkOrderRequest = (
  document: unknown,
  unknownFields: 'refused' | 'overlooked',
  writeLine = (_index: number, quantity: number): string => `one line with quantity ${quantity}`,
): CheckedRequest => {
  const result = (unknownFields === 'refused' ? strictRequest : lenientRequest).safeParse(document)
  const violations = [
    ...(result.success ? [] : collectViolations(result.error.issues, document)),
    ...findListViolations(document, writeLine),
  ]
  return { request: violations.length === 0 ? result.data : undefined, violations }
}

// Checks the unparsed list, so that one invalid line does not hide violations of the whole list.
const findListViolations = (
  document: unknown,
  writeLine: (index: number, quantity: number) => string,
): Violation[] => {
  const list = (document as { productList?: unknown } | null | undefined)?.productList
  if (!Array.isArray(list)) return []
  const { skusPerOrder, quantityPerSku, quantityPerOrder } = orderLimits
  const found: Violation[] = []
  if (list.length > skusPerOrder)
    found.push(createTooBig(`${list.length} lines`, `at most ${skusPerOrder} SKUs in one order`))
  const lines: readonly UncheckedLine[] = list.map((line) => ({ ...line }))
  for (const [sku, [first, ...more]] of Map.groupBy(lines, (line) => line.sku)) {
    if (typeof sku !== 'string' || first === undefined || more.length === 0) continue
    const all = sumQuantities([first, ...more])
    const hasQuantities = [first, ...more].every(({ quantity }) => quantity !== undefined)
    const prices = [first, ...more].map(({ quote, productType }) => formatGiven([quote, productType]))
    const allowed =
      new Set(prices).size > 1 || all > quantityPerSku
        ? `an order takes one quote and at most ${quantityPerSku} units of each SKU; use a batch`
        : `use ${hasQuantities ? writeLine(lines.indexOf(first), all) : 'one line'}`
    const problem = `${sku} is listed ${more.length === 1 ? 'twice' : `${more.length + 1} times`}; ${allowed}`
    found.push({ path: formatPath(['productList', lines.indexOf(first), 'sku']), allowed, problem })
  }
  const total = sumQuantities(lines)
  if (total > quantityPerOrder)
    found.push(createTooBig(`${total} units in all`, `at most ${quantityPerOrder} units in one order`))
  return found
}

type UncheckedLine = { readonly [Field in keyof ProductLine]?: unknown }

const sumQuantities = (lines: readonly UncheckedLine[]): number =>
  lines.reduce((sum, { quantity: n }) => sum + (Number.isInteger(n) ? Math.max(0, Number(n)) : 0), 0)

const createTooBig = (given: string, allowed: string) =>
  ({ path: 'productList', given, allowed, isTooBig: true }) as const

/** The common fields of the issues of zod and of shape.ts. */
type Issue = { readonly path: Path; readonly message: string; readonly code?: string; readonly keys?: Path }

const describeUnknownField = (path: Path, known: string): string => {
  const near = askForNearest(findNearest(String(path.at(-1)), known.split(', ')))
  return `unknown field '${formatPath(path)}'${near || `; allowed: ${known}`}`
}

/** The messages of the schemas list the allowed values, and for an unknown field the names of the known fields. */
export const collectViolations = (issues: readonly Issue[], document: unknown): Violation[] => {
  const found = new Map<string, Violation>()
  for (const { path: at, message, code, keys } of issues) {
    for (const path of keys?.map((key) => [...at, key]) ?? [at]) {
      const violation = {
        ...createViolation(document, path, message),
        ...(keys === undefined ? {} : { problem: describeUnknownField(path, message) }),
        ...(code === 'too_big' ? { isTooBig: true as const } : {}),
      }
      // One violation per path: a value of the wrong type also violates its range.
      if (!found.has(violation.path)) found.set(violation.path, violation)
    }
  }
  return [...found.values()]
}
