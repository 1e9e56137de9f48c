// The products that an account sells, if they are known without a request: those of the sandbox's catalogue, or of the
// profile's product file.
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import type { Account } from '../../../profiles/account.ts'
import type { PricedProduct } from '../../../service/catalogue.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'

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
  const { readProductFile } = await import('./product-file.ts')
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
    context.stderr.write(`warning: ${sanitize(error.message)}; the products are not checked\n`)
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
