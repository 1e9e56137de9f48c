// The order that the flags and the order file describe. A complete draft becomes a request.
import type { Context } from '../../context.ts'
import { type Decimal, formatDecimal, parseDecimal } from '../../contract/decimal.ts'
import { limits } from '../../contract/limits.ts'
import { checkOrderRequest, type OrderRequest } from '../../contract/order-request.ts'
import { generateReference } from '../../contract/reference.ts'
import { formatViolation, type Violation } from '../../contract/violations.ts'
import { Failure, type Fix } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { formatProduct, type ProductInput, productForm } from '../../text/product-flag.ts'
import { mayAsk } from '../shared/options.ts'
import { type ProductList, readProductList } from '../shared/products/product-list.ts'
import { invalidOrder, type OrderParts, partsOf, partsOfIncompleteFile, readOrderFile } from './order-file.ts'
import { addProductViolations } from './products.ts'
import type { CreateOptions } from './spec.ts'

export type Draft = {
  /** Flags override the order file. */
  readonly parts: OrderParts
  /** The order file. Undefined if its parts are among `parts`. */
  readonly document: object | undefined
  readonly defaultWallet: string | undefined
  /** The products of the account. Undefined if they are not known, or not checked. */
  readonly list: ProductList | undefined
  /** For the batch that is suggested if the order is too big. */
  readonly options: Pick<CreateOptions, 'profile' | 'maxTotal'>
  readonly isComplete: boolean
}

export type CompleteOrder = {
  readonly kind: 'order'
  readonly request: OrderRequest
  /** False if orderctl generated the reference, so that it cannot tell a second try from a second order. */
  readonly hasOwnReference: boolean
}

export const readDraft = async (
  context: Context,
  account: Account,
  options: CreateOptions,
): Promise<Draft> => {
  const { file } = options
  const parts = partsOf(options)
  const defaultWallet = account.kind === 'service' ? account.wallet : undefined
  const hasProducts = file !== undefined || parts.productList !== undefined
  const list = await readCheckedList(context, account, { ...options, hasProducts })
  const base = { defaultWallet, list, options }
  const wallet = parts.wallet ?? defaultWallet
  if (file === undefined) {
    const isComplete = parts.productList !== undefined && wallet !== undefined
    return { ...base, parts, document: undefined, isComplete }
  }
  const document = await readOrderFile(context, file)
  const fileParts = mayAsk(context, options)
    ? partsOfIncompleteFile(document, { ...parts, wallet })
    : undefined
  if (fileParts === undefined) return { ...base, parts, document, isComplete: true }
  return { ...base, parts: overlay(fileParts, parts), document: undefined, isComplete: false }
}

/** --idempotent continues an order that was placed when the product file was another one. */
export const readCheckedList = async (
  context: Context,
  account: Account,
  { idempotent, hasProducts = true }: Pick<CreateOptions, 'idempotent'> & { readonly hasProducts?: boolean },
): Promise<ProductList | undefined> =>
  account.kind === 'sandbox' || (hasProducts && !idempotent)
    ? await readProductList(context, account)
    : undefined

const overlay = (below: OrderParts, above: OrderParts): OrderParts => ({
  productList: above.productList ?? below.productList,
  wallet: above.wallet ?? below.wallet,
  reference: above.reference ?? below.reference,
  webhookUrl: above.webhookUrl ?? below.webhookUrl,
})

/** Throws every violation of the documented limits at once. */
export const completeDraft = (
  context: Context,
  { parts, document, defaultWallet, list, options }: Omit<Draft, 'isComplete'>,
): CompleteOrder => {
  const { productList, reference, webhookUrl } = parts
  const isFromFile = document !== undefined
  const wallet = parts.wallet ?? (isFromFile && 'wallet' in document ? undefined : defaultWallet)
  const newReference = reference ?? (isFromFile ? undefined : generateReference(context.clock))
  const given = {
    ...document,
    ...(productList === undefined
      ? {}
      : { productList: productList.map((each) => lineOf(addType(each, { list }))) }),
    ...(wallet === undefined ? {} : { wallet }),
    ...(newReference === undefined ? {} : { reference: newReference }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
  }
  const { checked, fix } = addProductViolations(checkOrderRequest(given, 'refused'), given, list)
  if ('request' in checked) {
    return { kind: 'order', request: checked.request, hasOwnReference: reference !== undefined || isFromFile }
  }
  const violations = isFromFile
    ? checked.violations
    : checked.violations.map((each) => nameFlag(each, productList ?? []))
  if (!violations.every(({ isTooBig }) => isTooBig)) throw invalidOrder(violations.map(formatViolation), fix)
  throw createTooBigOrder(violations, {
    products: productList,
    wallet: parts.wallet ?? readWallet(document),
    reference,
    profile: options.profile,
    maxTotal: options.maxTotal,
  })
}

const readWallet = (document: { readonly wallet?: unknown } | undefined): string | undefined =>
  typeof document?.wallet === 'string' ? document.wallet : undefined

/** A type that was not given is that of the list, if the product is in it. */
export const addType = (product: ProductInput, { list }: Pick<Draft, 'list'>): ProductInput => ({
  ...product,
  type: product.type ?? list?.products.get(product.sku)?.productType,
})

// Text that is not a number stays text, so that the check of the whole order can report it.
const lineOf = ({ sku, quote, quantity, type = 'fixed' }: ProductInput): Record<string, unknown> => ({
  sku,
  productType: type,
  quote: parseDecimal(quote) ?? quote,
  quantity: /^\d{1,15}$/.test(quantity) ? Number(quantity) : quantity,
})

const flagNames = new Map([
  ['productList', '--product'],
  ['wallet', '--wallet'],
  ['reference', '--reference'],
  ['webhookUrl', '--webhook-url'],
])

/** Without an order file, a violation names the flag instead of the field. */
const nameFlag = (violation: Violation, products: readonly ProductInput[]): Violation => {
  const [, index, part] = /^productList\[(\d+)\]\.?(.*)$/.exec(violation.path) ?? []
  const product = products[Number(index)]
  if (product !== undefined) {
    return { ...violation, path: `--product ${formatProduct(product)}${part ? `, ${part}` : ''}` }
  }
  const path = flagNames.get(violation.path) ?? violation.path
  const isMissing = path === '--product' && violation.given === undefined
  return { ...violation, path, ...(isMissing ? { allowed: productForm } : {}) }
}

/** What the batch has in common with the order. */
type BatchParts = {
  /** Undefined if the products are in the file. */
  readonly products: readonly ProductInput[] | undefined
  readonly wallet: string | undefined
  readonly profile: string | undefined
  readonly reference: string | undefined
  readonly maxTotal: Decimal | undefined
}

/** Names the batch that buys the order. */
const createTooBigOrder = (violations: readonly Violation[], parts: BatchParts): Failure => {
  const { skusPerOrder, quantityPerSku, quantityPerOrder } = limits
  const limit = `${skusPerOrder} products, ${quantityPerSku} of each and ${quantityPerOrder} in all`
  return new Failure('usage', `one order holds at most ${limit}; nothing was sent`, {
    violations: violations.map(formatViolation),
    fix: suggestBatch(parts),
  })
}

const suggestBatch =
  ({ products, wallet, reference, maxTotal }: BatchParts): Fix =>
  (suggest) => {
    const flags = {
      product: products?.map(formatProduct),
      wallet,
      name: reference,
      'max-total': maxTotal === undefined ? undefined : formatDecimal(maxTotal),
    }
    return products === undefined
      ? 'Put the products into a CSV file with the columns sku, quote and quantity, and buy it with batch run.'
      : suggest`batch run ${flags}`
  }
