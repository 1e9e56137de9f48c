// An order file: the documented request as JSON, from a file or standard input. Also prints an example and its schema.

import { readInput } from '../../app/read-input.ts'
import type { Context } from '../../context.ts'
import { JsonError, readJson } from '../../contract/json.ts'
import { formatDecimal } from '../../contract/money/decimal.ts'
import { checkOrderRequest, type ProductLine } from '../../contract/order/order-request.ts'
import { formatViolation, type Violation } from '../../contract/violations.ts'
import { Failure, type Remedy } from '../../errors.ts'
import { type ProductInput, parseProduct } from '../../text/product-flag.ts'
import { renderJson } from '../../ui/text/json.ts'
import type { CreateOptions } from './spec.ts'

/** Named as in the request. */
export type OrderParts = {
  readonly productList?: readonly ProductInput[] | undefined
  readonly wallet?: string | undefined
  readonly reference?: string | undefined
  readonly webhookUrl?: string | undefined
}

/** Reads the file once: a named pipe, as `<(…)` makes one, can be read only once. */
export const readOrderFile = async (context: Context, file: string): Promise<Record<string, unknown>> => {
  const source = await readInput(context, file, 'the order').catch((error) => {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error
    throw new Failure('usage', error.message, {
      ...error.details,
      // If the name of the file looks like a product, the user forgot a second --product.
      fix: (suggest) => suggest`create --help`,
      advice: parseProduct(file)
        ? (suggest) => `Did you mean ${suggest.flags({ product: file })}?`
        : error.details.advice,
    })
  })
  const createFailure = (problem: string): Failure =>
    new Failure('usage', `the order in ${file === '-' ? 'standard input' : file} ${problem}`, {
      field: file,
      fix: (suggest) => suggest`create --skeleton`,
    })
  if (source.length === 0) throw createFailure('is empty')
  let document: unknown
  try {
    document = readJson(source)
  } catch (error) {
    throw error instanceof JsonError ? createFailure(error.message) : error
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw createInvalidOrder([{ path: '', given: JSON.stringify(document), allowed: 'a JSON object' }])
  // Editors add $schema. It is not part of the order.
  const { $schema: _, ...order } = document as Record<string, unknown>
  return order
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
  const { request, violations } = checkOrderRequest({ ...placeholders, ...document }, 'refused')
  if (request === undefined) throw createInvalidOrder(violations)
  const parts = { ...request, productList: request.productList.map(toProductInput) }
  return Object.fromEntries(Object.entries(parts).filter(([field]) => field in document))
}

export const toProductInput = ({ sku, productType, quote, quantity }: ProductLine): ProductInput => ({
  sku,
  quote: formatDecimal(quote),
  quantity: String(quantity),
  type: productType,
})

export const createInvalidOrder = (
  violations: readonly Violation[],
  remedy: Remedy = { fix: (suggest) => suggest`create --help` },
): Failure =>
  new Failure('usage', 'the order is not valid; nothing was sent', {
    violations: violations.map(formatViolation),
    ...remedy,
  })

export const printTemplate = async ({ stdout }: Context, { schema }: CreateOptions): Promise<number> => {
  const template = schema
    ? (await import('../../contract/openapi/order-file-schema.ts')).createOrderFileSchema()
    : (await import('../../contract/openapi/examples.ts')).exampleOrderFile
  stdout.write(renderJson(template))
  return 0
}
