// The order to create: from a file or standard input, and from flags, which win; checked whole.

import type { Context } from '../../context.ts'
import { decimalText, parseDecimal } from '../../contract/decimal.ts'
import { JsonError, readJson } from '../../contract/json.ts'
import { checkOrderRequest, type OrderRequest } from '../../contract/order-request.ts'
import { type Violation, violationText } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { type ProductInput, productForm, readProduct } from '../shared/product-flag.ts'
import { readInput } from '../shared/read-input.ts'

export type OrderFlags = {
  readonly product?: readonly string[]
  readonly wallet?: string
  readonly reference?: string
  readonly webhookUrl?: string
}

/** What stands for a product's type where nobody gives it. */
export type TypeOf = (sku: string) => string | undefined

// What is no number stays as it was typed: the check of the whole order says what is wrong with it.
const lineOf = ({ sku, quote, quantity, type }: ProductInput, typeOf: TypeOf): Record<string, unknown> => ({
  sku,
  productType: type ?? typeOf(sku) ?? 'fixed',
  quote: parseDecimal(quote) ?? quote,
  quantity: /^\d{1,15}$/.test(quantity) ? Number(quantity) : quantity,
})

/** A reference that nobody else makes up: the day, and a piece of chance. */
export const madeUp = ({ clock }: Context): string =>
  `orderctl-${new Date(clock.now()).toISOString().slice(0, 10)}-${clock.newId().replaceAll('-', '').slice(0, 12)}`

/** Once: what a shell pipes in by a name, as `<(…)` does, is gone then. */
export const readOrderFile = async (context: Context, file: string): Promise<object> => {
  const name = file === '-' ? 'standard input' : file
  const source = await readInput(context, file, 'the order').catch((error) => {
    throw meantAsProduct(error, file)
  })
  if (source.length === 0) {
    throw new Failure('usage', `the order in ${name} is empty`, {
      field: file,
      fix: 'orderctl create --skeleton',
    })
  }
  let document: unknown
  try {
    document = readJson(source)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new Failure('usage', `the order in ${name} ${error.message}`, {
      field: file,
      fix: 'orderctl create --skeleton',
    })
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
    // Editors put it there; it says what the file is, not what is ordered.
    const { $schema: _, ...order } = document as Record<string, unknown>
    return order
  }
  throw invalid([violationText({ path: '', given: JSON.stringify(document), allowed: 'a JSON object' })])
}

/** What a file that lacks something has, as flags would say it. */
export type BegunOrder = {
  readonly products: readonly ProductInput[] | undefined
  readonly flags: OrderFlags
}

// In the places of what is missing, so that the rest is checked as it stands.
const stand = {
  productList: [{ sku: 'A', productType: 'fixed', quote: 1, quantity: 1 }],
  wallet: 'USD',
  reference: 'r',
}

/** Undefined where nothing is missing but what others give. Throws where anything else is wrong: no answer mends that. */
export const orderBegun = (
  document: object,
  elsewhere: Readonly<Record<string, unknown>>,
): BegunOrder | undefined => {
  if (Object.keys(stand).every((field) => field in document || elsewhere[field] !== undefined))
    return undefined
  const checked = checkOrderRequest({ ...stand, ...document }, 'refused')
  if ('violations' in checked) throw invalid(checked.violations.map(violationText))
  const { productList, wallet, reference, webhookUrl } = checked.request
  return {
    products:
      'productList' in document
        ? productList.map(({ sku, productType, quote, quantity }) => {
            return { sku, quote: decimalText(quote), quantity: String(quantity), type: productType }
          })
        : undefined,
    flags: {
      ...('wallet' in document ? { wallet } : {}),
      ...('reference' in document ? { reference } : {}),
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
    },
  }
}

/** Whoever forgets a second --product has named a file. */
const meantAsProduct = (error: unknown, file: string): unknown => {
  if (!(error instanceof Failure) || error.kind !== 'usage') return error
  const fix = readProduct(file) === undefined ? 'orderctl create --help' : `--product ${file}`
  return new Failure('usage', error.message, { ...error.details, fix })
}

const invalid = (violations: readonly string[]): Failure =>
  new Failure('usage', 'the order is not valid; nothing was sent', {
    violations,
    fix: 'orderctl create --help',
  })

/** What flags say wins over what stands in the file. */
export const requestOf = (
  context: Context,
  fromFile: object | undefined,
  flags: OrderFlags,
  products: readonly ProductInput[] | undefined,
  defaults: { readonly wallet?: string | undefined; readonly typeOf: TypeOf },
): OrderRequest => {
  const reference = flags.reference ?? (fromFile === undefined ? madeUp(context) : undefined)
  const wallet =
    flags.wallet ?? (fromFile !== undefined && 'wallet' in fromFile ? undefined : defaults.wallet)
  const document = {
    ...fromFile,
    ...(products === undefined ? {} : { productList: products.map((each) => lineOf(each, defaults.typeOf)) }),
    ...(wallet === undefined ? {} : { wallet }),
    ...(reference === undefined ? {} : { reference }),
    ...(flags.webhookUrl === undefined ? {} : { webhookUrl: flags.webhookUrl }),
  }
  const checked = checkOrderRequest(document, 'refused')
  if ('request' in checked) return checked.request
  const violations =
    fromFile === undefined
      ? checked.violations.map((each) => asFlag(each, flags.product ?? []))
      : checked.violations
  throw invalid(violations.map(violationText))
}

const flagNames = new Map([
  ['productList', '--product'],
  ['wallet', '--wallet'],
  ['reference', '--reference'],
  ['webhookUrl', '--webhook-url'],
])

/** Where flags alone were typed, a part that is wrong is a flag. */
const asFlag = (violation: Violation, products: readonly string[]): Violation => {
  const [, index, part] = /^productList\[(\d+)\]\.?(.*)$/.exec(violation.path) ?? []
  const typed = products[Number(index)]
  if (typed !== undefined) return { ...violation, path: `--product ${typed}${part ? `, ${part}` : ''}` }
  const path = flagNames.get(violation.path) ?? violation.path
  const isMissing = path === '--product' && violation.given === undefined
  return { ...violation, path, ...(isMissing ? { allowed: productForm } : {}) }
}
