// The order that the flags and the order file describe: read, joined and checked. A complete draft becomes a request. Also
// prints an example of an order file and its schema.

import { findProductViolations, type ProductList, readProductList } from '../../app/product-list.ts'
import { readInput } from '../../app/read-input.ts'
import { mayAsk } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { tryReadJson } from '../../contract/json.ts'
import { orderLimits } from '../../contract/limits.ts'
import { type Decimal, formatDecimal, parseDecimal } from '../../contract/money/decimal.ts'
import { checkOrderRequest, type OrderRequest, type ProductLine } from '../../contract/order/order-request.ts'
import { generateReference } from '../../contract/order/reference.ts'
import { normalizeCurrency } from '../../contract/shape.ts'
import { formatViolation, type Violation } from '../../contract/violations.ts'
import { Failure, type Remedy } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { flagName, formatProduct, type ProductInput, parseProduct, productForm } from '../../text/flags.ts'
import type { Suggest } from '../../text/suggest.ts'
import { renderJson } from '../../ui/text/result-fields.ts'
import type { CreateOptions } from './spec.ts'

export type Draft = {
  /** Flags override the order file. */
  readonly parts: OrderParts
  /** The order file. Undefined if its parts are among `parts`. */
  readonly document?: Readonly<Record<string, unknown>> | undefined
  readonly defaultWallet?: string | undefined
  /** The wizard has not asked for the wallet yet. */
  readonly isWalletOpen?: boolean
  /** The products of the account. Undefined if they are not known, or not checked. */
  readonly list: ProductList | undefined
  /** For the batch that is suggested if the order is too big. */
  readonly maxTotal?: Decimal | undefined
}

export type CompleteOrder = {
  readonly request: OrderRequest
  /** False if orderctl generated the reference, so that it cannot tell a second try from a second order. */
  readonly hasOwnReference: boolean
}

export const partsOf = ({ product, wallet, reference, webhookUrl }: CreateOptions): OrderParts => ({
  productList: product.length === 0 ? undefined : product,
  wallet: wallet === undefined ? undefined : (normalizeCurrency(wallet) ?? wallet),
  reference,
  webhookUrl,
})

export const readDraft = async (
  context: Context,
  account: Account,
  options: CreateOptions,
): Promise<Draft & { readonly isComplete: boolean }> => {
  const { file, maxTotal } = options
  const parts = partsOf(options)
  const defaultWallet = account.kind === 'service' ? account.wallet : undefined
  const wallet = parts.wallet ?? defaultWallet
  const hasProducts = file !== undefined || parts.productList !== undefined
  // --idempotent may continue an order that was placed with an older product file.
  const list = await readCheckedList(context, account, hasProducts && !options.idempotent)
  const draft = { parts, defaultWallet, list, maxTotal }
  if (file === undefined) return { ...draft, isComplete: hasProducts && wallet !== undefined }
  const document = await readOrderFile(context, file)
  const fileParts = mayAsk(context, options) && partsOfIncompleteFile(document, { ...parts, wallet })
  if (!fileParts) return { ...draft, document, isComplete: true }
  return { ...draft, parts: { ...fileParts, ...omitUndefined(parts) }, isComplete: false }
}

/** The products of the sandbox are always known. */
export const readCheckedList = async (context: Context, account: Account, isChecked: boolean) =>
  account.kind === 'sandbox' || isChecked ? readProductList(context, account) : undefined

const omitUndefined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Throws every violation of the documented limits at once. */
export const completeDraft = (
  { clock }: Context,
  { parts, document, defaultWallet, isWalletOpen, list, maxTotal }: Draft,
): CompleteOrder => {
  const { productList, reference } = parts
  const isFromFile = document !== undefined
  const given: { readonly productList?: unknown } = {
    ...document,
    ...omitUndefined({
      ...parts,
      productList: productList?.map((each) => toLine(addType(each, list))),
      wallet: parts.wallet ?? (isFromFile && 'wallet' in document ? undefined : defaultWallet),
      reference: reference ?? (isFromFile ? undefined : generateReference(clock)),
    }),
  }
  const writeLine = (index: number, quantity: number) =>
    formatProduct({ ...(productList?.[index] as ProductInput), quantity: String(quantity) })
  const { request, violations: ofRequest } = checkOrderRequest(given, 'refused', productList && writeLine)
  const ofProducts = list === undefined ? [] : findProductViolations(given, list)
  if (request !== undefined && ofProducts.length === 0)
    return { request, hasOwnReference: reference !== undefined || isFromFile }
  const violations = [...ofRequest, ...ofProducts].map((each) =>
    isFromFile ? each : nameFlag(each, productList ?? []),
  )
  if (violations.every(({ isTooBig }) => isTooBig)) {
    const wallet = parts.wallet ?? (typeof document?.wallet === 'string' ? document.wallet : undefined)
    // An empty value becomes a placeholder in the suggested command.
    throw createTooBigOrder(violations, { ...parts, wallet: isWalletOpen ? '' : wallet }, maxTotal)
  }
  throw createInvalidOrder(violations, ofRequest.length === 0 ? list?.remedy : undefined)
}

/** A type that was not given is that of the list, if the product is in it. */
export const addType = (product: ProductInput, list: Draft['list']): ProductInput => ({
  ...product,
  type: product.type ?? list?.products.get(product.sku)?.productType,
})

// Text that is not a number stays text, so that the check of the whole order can report it.
const toLine = ({ sku, quote, quantity, type = 'fixed' }: ProductInput) => ({
  sku,
  productType: type,
  quote: parseDecimal(quote) ?? quote,
  quantity: /^\d{1,15}$/.test(quantity) ? Number(quantity) : quantity,
})

/** Without an order file, a violation names the flag instead of the field. */
const nameFlag = (violation: Violation, products: readonly ProductInput[]): Violation => {
  const [, index, part] = /^productList\[(\d+)\]\.?(.*)$/.exec(violation.path) ?? []
  const product = products[Number(index)]
  if (product !== undefined) {
    return { ...violation, path: `--product ${formatProduct(product)}${part ? `, ${part}` : ''}` }
  }
  const path = flagName(violation.path === 'productList' ? 'product' : violation.path)
  const isMissing = path === '--product' && violation.given === undefined
  return { ...violation, path, allowed: isMissing ? productForm : violation.allowed }
}

/** Names the batch that buys the order. */
const createTooBigOrder = (
  violations: readonly Violation[],
  { productList, wallet, reference }: OrderParts,
  maxTotal: Decimal | undefined,
): Failure => {
  const { skusPerOrder, quantityPerSku, quantityPerOrder } = orderLimits
  const limit = `${skusPerOrder} products, ${quantityPerSku} of each and ${quantityPerOrder} in all`
  const flags = {
    product: productList?.map(formatProduct),
    wallet,
    name: reference,
    'max-total': maxTotal && formatDecimal(maxTotal),
  }
  return new Failure('usage', `one order holds at most ${limit}; nothing was sent`, {
    violations: violations.map(formatViolation),
    ...(productList === undefined
      ? {
          advice:
            'Put the products into a CSV file with the columns sku, quote and quantity, and buy it with batch run.',
        }
      : {
          // In a script, batch run needs a cap.
          fix: (suggest: Suggest) =>
            maxTotal === undefined ? suggest`batch plan ${flags}` : suggest`batch run ${flags}`,
        }),
  })
}

/** Named as in the request. */
export type OrderParts = {
  readonly productList?: readonly ProductInput[] | undefined
  readonly wallet?: string | undefined
  readonly reference?: string | undefined
  readonly webhookUrl?: string | undefined
}

/** Reads the file once: a named pipe, as `<(…)` makes one, can be read only once. */
const readOrderFile = async (context: Context, file: string): Promise<Record<string, unknown>> => {
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
  const { document, problem } = tryReadJson(source)
  if (problem !== undefined) throw createFailure(problem.message)
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
const partsOfIncompleteFile = (document: object, given: OrderParts): OrderParts | undefined => {
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

const createInvalidOrder = (
  violations: readonly Violation[],
  remedy: Remedy = { fix: (suggest) => suggest`create --help` },
): Failure =>
  new Failure('usage', 'the order is not valid; nothing was sent', {
    violations: violations.map(formatViolation),
    ...remedy,
  })

export const printTemplate = async ({ stdout }: Context, { schema }: CreateOptions): Promise<number> => {
  const { createOrderFileSchema, exampleOrderFile } = await import('../../contract/openapi/examples.ts')
  stdout.write(renderJson(schema ? createOrderFileSchema() : exampleOrderFile))
  return 0
}
