// The parts of an order that flags give, or an order file: the documented request as JSON, from a file or standard input.
// Also prints an example, its schema, and the request of a dry run.
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/decimal.ts'
import { JsonError, readJson } from '../../contract/json.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { checkOrderRequest } from '../../contract/order-request.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure, type Fix } from '../../errors.ts'
import { type ProductInput, parseProduct } from '../../text/product-flag.ts'
import { renderJson } from '../../ui/text/json.ts'
import { writeNote } from '../shared/notes.ts'
import { readInput } from '../shared/read-input.ts'
import type { CreateOptions } from './spec.ts'

/** Named as in the request. */
export type OrderParts = {
  readonly productList: readonly ProductInput[] | undefined
  readonly wallet: string | undefined
  readonly reference: string | undefined
  readonly webhookUrl: string | undefined
}

export const partsOf = ({ product, wallet, reference, webhookUrl }: CreateOptions): OrderParts => ({
  productList: product.length === 0 ? undefined : product,
  wallet,
  reference,
  webhookUrl,
})

/** Reads the file once: a named pipe, as `<(…)` makes one, can be read only once. */
export const readOrderFile = async (context: Context, file: string): Promise<object> => {
  const name = file === '-' ? 'standard input' : file
  const source = await readInput(context, file, 'the order').catch((error) => {
    throw suggestProduct(error, file)
  })
  const fail = (problem: string): Failure =>
    new Failure('usage', `the order in ${name} ${problem}`, {
      field: file,
      fix: (suggest) => suggest`create --skeleton`,
    })
  if (source.length === 0) throw fail('is empty')
  let document: unknown
  try {
    document = readJson(source)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw fail(error.message)
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
    // Editors add $schema. It is not part of the order.
    const { $schema: _, ...order } = document as Record<string, unknown>
    return order
  }
  throw invalidOrder([
    formatViolation({ path: '', given: JSON.stringify(document), allowed: 'a JSON object' }),
  ])
}

/** Values for missing fields, so that the rest of a file can be checked. */
const placeholders = {
  productList: [{ sku: 'A', productType: 'fixed', quote: 1, quantity: 1 }],
  wallet: 'USD',
  reference: 'r',
}

/**
 * The parts of an incomplete order file. Undefined if the file and `given` together have every required field.
 * Throws if a part is wrong, because the wizard asks only for missing parts.
 */
export const partsOfIncompleteFile = (document: object, given: OrderParts): OrderParts | undefined => {
  const isMissing = Object.keys(placeholders).some(
    (field) => !(field in document) && given[field as keyof OrderParts] === undefined,
  )
  if (!isMissing) return undefined
  const checked = checkOrderRequest({ ...placeholders, ...document }, 'refused')
  if ('violations' in checked) throw invalidOrder(checked.violations.map(formatViolation))
  const { productList, wallet, reference, webhookUrl } = checked.request
  const inputs = productList.map(({ sku, productType, quote, quantity }) => {
    return { sku, quote: formatDecimal(quote), quantity: String(quantity), type: productType }
  })
  return {
    productList: 'productList' in document ? inputs : undefined,
    wallet: 'wallet' in document ? wallet : undefined,
    reference: 'reference' in document ? reference : undefined,
    webhookUrl,
  }
}

/** A file that looks like a product: the user forgot a second --product. */
const suggestProduct = (error: unknown, file: string): unknown => {
  if (!(error instanceof Failure) || error.kind !== 'usage') return error
  const fix: Fix = (suggest) =>
    parseProduct(file) === undefined ? suggest`create --help` : suggest.flags({ product: file })
  return new Failure('usage', error.message, { ...error.details, fix })
}

export const invalidOrder = (violations: readonly string[], fix: Fix = 'orderctl create --help'): Failure =>
  new Failure('usage', 'the order is not valid; nothing was sent', {
    violations,
    fix,
  })

export const printTemplate = async ({ stdout }: Context, { schema }: CreateOptions): Promise<number> => {
  if (schema) {
    const { createOrderFileSchema } = await import('../../contract/openapi/order-file-schema.ts')
    stdout.write(renderJson(createOrderFileSchema(), { reveal: true }))
  } else {
    const { exampleOrderFile } = await import('../../contract/openapi/examples.ts')
    stdout.write(renderJson(exampleOrderFile, { reveal: true }))
  }
  return 0
}

/** A request holds no codes, so nothing in it is masked. */
export const printRequest = (
  { stdout, stderr }: Context,
  request: OrderRequest,
  { fields }: CreateOptions,
): number => {
  stdout.write(renderJson(request, { reveal: true, fields }))
  writeNote({ stderr }, 'The order is valid. Nothing was sent.\n')
  return 0
}
