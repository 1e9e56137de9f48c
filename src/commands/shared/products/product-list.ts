// The products that an account sells, if they are known without a request: those of the sandbox's catalogue, or of the
// profile's product file. A product file is never cached, so users can edit it.
import { statSync } from 'node:fs'
import type { Context } from '../../../context.ts'
import { JsonError, readJson } from '../../../contract/json.ts'
import { formatViolation } from '../../../contract/violations.ts'
import { Failure } from '../../../errors.ts'
import type { Account } from '../../../profiles/account.ts'
import type { PricedProduct } from '../../../service/catalogue.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { readInput } from '../read-input.ts'

export type ProductList = {
  readonly products: ReadonlyMap<string, PricedProduct>
  /** 'the sandbox' */
  readonly name: string
  /** The next step if a product is not in the list. */
  readonly fix: string
  /** Whether an amount with a fraction of a minor unit is refused. */
  readonly refusesFractions: boolean
}

/** Undefined if the products are not known. A product file that cannot be used is only a warning. */
export const readProductList = async (
  context: Context,
  account: Account,
): Promise<ProductList | undefined> => {
  if (account.kind === 'sandbox') return readCatalogue()
  const { products: file } = account
  if (file === undefined) return undefined
  try {
    const products = await readProductFile(context, file)
    return {
      products: new Map(products.map((product) => [product.sku, product])),
      name: `the product file ${file}`,
      fix: `Correct the product, or the product file ${file}.`,
      refusesFractions: false,
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.stderr.warn(`${sanitize(error.message)}; the products are not checked`)
    return undefined
  }
}

const readCatalogue = async (): Promise<ProductList> => {
  const { builtInCatalogue, pricedProduct } = await import('../../../service/catalogue.ts')
  const { products } = builtInCatalogue()
  return {
    products: new Map([...products].map(([sku, product]) => [sku, pricedProduct(product)])),
    name: 'the sandbox',
    fix: 'See the products and prices: orderctl sandbox',
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
    new Failure('usage', message, { field: '--products', fix: 'orderctl help order-file', ...details })
  // Reading a pipe would block, and a pipe cannot be read a second time.
  if (!mayBeFile(file)) throw createFailure(`${file} is not a file`)
  const text = await readInput(context, file, 'the products')
  let document: unknown
  try {
    document = readJson(text)
  } catch (error) {
    // The user may have named a wrong file, which may hold a key. So the message quotes nothing from it.
    throw error instanceof JsonError ? createFailure(`the product file ${file} ${error.withoutKeys}`) : error
  }
  const { checkPriceList } = await import('../../../service/catalogue-file.ts')
  const checked = checkPriceList(document)
  if ('products' in checked) return checked.products
  throw createFailure(`the product file ${file} is not valid`, {
    violations: checked.violations.map(({ given, ...each }) =>
      formatViolation({ ...each, given: given === undefined ? undefined : 'wrong' }),
    ),
  })
}

/** True if it cannot be known: reading the file will say why. */
const mayBeFile = (file: string): boolean => {
  try {
    return statSync(file).isFile()
  } catch {
    return true
  }
}
