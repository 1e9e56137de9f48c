// The products that an account sells, if they are known without a request: those of the sandbox's catalogue, or of the
// profile's product file. Checks products against them. A product file is never cached, so users can edit it.

import { statSync } from 'node:fs'
import type { Context } from '../context.ts'
import { tryReadJson } from '../contract/json.ts'
import { isLabel } from '../contract/limits.ts'
import { type Decimal, getMinorDigits, roundTo, zero } from '../contract/money/decimal.ts'
import { toDecimal } from '../contract/shape.ts'
import { createViolation, formatViolation, type Violation } from '../contract/violations.ts'
import { Failure, type Remedy } from '../errors.ts'
import type { Account } from '../profiles/account.ts'
import type { PricedProduct } from '../service/catalogue.ts'
import { askForNearest, findNearest } from '../text/words.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { formatNumber } from '../ui/text/formats.ts'
import { largeFile, readInput } from './read-input.ts'

export type ProductList = {
  readonly products: ReadonlyMap<string, PricedProduct>
  /** Undefined if they are not known. */
  readonly wallets?: readonly string[]
  /** 'the sandbox' */
  readonly name: string
  /** For a product that is not in the list. */
  readonly remedy: Remedy
  /** Whether an amount with a fraction of a minor unit is refused. */
  readonly refusesFractions: boolean
}

/**
 * Undefined if the products are not known. A product file that cannot be used is only a warning: `effect` says what it
 * leads to, and false prints no warning.
 */
export const readProductList = async (
  context: Context,
  account: Account,
  effect: string | false = 'the products are not checked',
): Promise<ProductList | undefined> => {
  if (account.kind === 'sandbox') return readCatalogue()
  const { products: file } = account
  if (file === undefined) return undefined
  try {
    const products = await readProductFile(context, file)
    return {
      products: new Map(products.map((product) => [product.sku, product])),
      name: `the product file ${file}`,
      remedy: { advice: `Correct the product, or the product file ${file}.` },
      refusesFractions: false,
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error
    if (effect !== false) context.stderr.warn(`${sanitize(error.message)}; ${effect}`)
    return undefined
  }
}

const readCatalogue = async (): Promise<ProductList> => {
  const { builtInCatalogue, pricedProduct } = await import('../service/catalogue.ts')
  const { products, wallets } = builtInCatalogue()
  return {
    products: new Map([...products].map(([sku, product]) => [sku, pricedProduct(product)])),
    wallets: [...wallets.keys()],
    name: 'the sandbox',
    remedy: { fix: () => 'orderctl sandbox' },
    refusesFractions: true,
  }
}

export const productSkeleton = {
  products: [
    { sku: 'GAME-US', name: 'Games 25 USD', productType: 'fixed', currency: 'USD', quote: 25 },
    { sku: 'COFFEE-US', name: 'Coffee', productType: 'range', currency: 'USD', min: 5, max: 100 },
  ],
}

export const readProductFile = async (context: Context, file: string): Promise<readonly PricedProduct[]> => {
  const createFailure = (message: string, details = {}) =>
    new Failure('usage', message, { field: '--products', fix: () => 'orderctl help order-file', ...details })
  let isFile = true
  try {
    isFile = statSync(file).isFile()
  } catch {
    // Reading the file will say why.
  }
  // Reading a pipe would block, and a pipe cannot be read a second time.
  if (!isFile) throw createFailure(`${file} is not a file`)
  const text = await readInput(context, file, 'the products', largeFile)
  const { document, problem } = tryReadJson(text, largeFile)
  // The user may have named a wrong file, which may hold a key. So the message quotes nothing from it.
  if (problem !== undefined) throw createFailure(`the product file ${file} ${problem.withoutKeys}`)
  const { checkPriceList } = await import('../service/catalogue-file.ts')
  const checked = checkPriceList(document)
  if ('products' in checked) return checked.products
  throw createFailure(`the product file ${file} is not valid`, {
    violations: checked.violations.map(({ given, ...each }) =>
      formatViolation({ ...each, given: given === undefined ? undefined : 'wrong' }),
    ),
  })
}

type ProductProblem = {
  readonly part: 'sku' | 'productType' | 'quote'
  readonly allowed: string
}

/** The parts may be of any type, because they are not checked yet. A part that is not valid has no problem here. */
export const findProductProblems = (
  list: ProductList,
  { sku, productType, quote }: { readonly [Part in ProductProblem['part']]?: unknown },
): readonly ProductProblem[] => {
  if (typeof sku !== 'string' || !isLabel(sku)) return []
  const product = list.products.get(sku)
  if (product === undefined) {
    return [{ part: 'sku', allowed: `a SKU of ${list.name}${suggestSku(sku, list.products.keys())}` }]
  }
  const amount = toDecimal(quote)
  const isOtherType =
    typeof productType === 'string' && isLabel(productType) && productType !== product.productType
  const price = amount?.gt(zero) === true ? describePrice(list, product, amount) : undefined
  return [
    ...(isOtherType ? [{ part: 'productType', allowed: `${product.productType} for ${sku}` } as const] : []),
    ...(price === undefined ? [] : [{ part: 'quote', allowed: `${price} for ${sku}` } as const]),
  ]
}

/** Finds products that violate the list, in a document that is not validated yet. */
export const findProductViolations = (
  document: { readonly productList?: unknown },
  list: ProductList,
): Violation[] => {
  const lines: unknown[] = Array.isArray(document.productList) ? document.productList : []
  return lines.flatMap((line, index) =>
    findProductProblems(list, line ?? {}).map(({ part, allowed }) =>
      createViolation(document, ['productList', index, part], allowed),
    ),
  )
}

/** What is allowed instead of the amount. Undefined if the amount is allowed. */
const describePrice = (
  { refusesFractions }: ProductList,
  { price }: PricedProduct,
  amount: Decimal,
): string | undefined => {
  const { least, most, currency } = price
  if (amount.lt(least) || amount.gt(most)) return formatPrice(price)
  if (!refusesFractions || roundTo(currency, amount).eq(amount)) return undefined
  return `${formatPrice(price)} with at most ${getMinorDigits(currency)} decimal places`
}

export const formatPrice = ({ least, most, currency }: PricedProduct['price']): string =>
  least.eq(most)
    ? `${formatNumber(least)} ${sanitize(currency)}`
    : `${formatNumber(least)} to ${formatNumber(most)} ${sanitize(currency)}`

const maxSuggestions = 3
/** The comparison takes as long as the product of the lengths. */
const maxLength = 100

/** ' (did you mean GAME-US?)'; empty if no known SKU is similar. Capitals do not matter. */
const suggestSku = (sku: string, known: Iterable<string>): string => {
  if (sku.length > maxLength) return ''
  const byFolded = new Map<string, string>()
  for (const each of known) if (each.length <= maxLength) byFolded.set(each.toLowerCase(), each)
  const folded = findNearest(sku.toLowerCase(), [...byFolded.keys()]).slice(0, maxSuggestions)
  return askForNearest(folded.map((each) => byFolded.get(each) ?? each))
}
