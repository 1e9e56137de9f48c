// Finds the products and wallets of an account that are known without a request: those of the sandbox's catalogue, or
// those of earlier orders and of the profile's product file.
import type { Context } from '../../../context.ts'
import { formatDecimal } from '../../../contract/decimal.ts'
import { Failure } from '../../../errors.ts'
import type { Entry } from '../../../journal/entry.ts'
import { readRequestedProducts } from '../../../operations/compare.ts'
import type { Account } from '../../../profiles/account.ts'
import type { PricedProduct } from '../../../service/catalogue.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { journalsOf } from '../journal/open-journal.ts'

export type KnownProduct = {
  readonly sku: string
  readonly name?: string
  readonly type: string
  /** The range that the service allows. */
  readonly price?: PricedProduct['price']
  /** The amount of the last order. */
  readonly lastQuote?: string
}

export type KnownProducts = {
  readonly products: readonly KnownProduct[]
  /** The likeliest comes first. */
  readonly wallets: readonly string[]
}

const maxOrders = 300

export const findKnownProducts = async (context: Context, account: Account): Promise<KnownProducts> => {
  if (account.kind === 'sandbox') {
    return offerSandbox(listUsedWallets(await listEarlierOrders(context, account))[0])
  }
  const { baseUrl, wallet, products: file } = account
  const entries = (await listEarlierOrders(context, account)).filter(({ origin }) => origin === baseUrl)
  const wallets = [wallet, ...listUsedWallets(entries)].filter((each) => each !== undefined)
  const products = new Map<string, KnownProduct>()
  for (const product of entries.flatMap(listProducts)) {
    if (!products.has(product.sku)) products.set(product.sku, product)
  }
  for (const product of await readFileProducts(context, file)) {
    products.set(product.sku, { ...products.get(product.sku), ...toKnownProduct(product) })
  }
  return { products: [...products.values()], wallets: [...new Set(wallets)] }
}

const toKnownProduct = ({ productType: type, ...product }: PricedProduct): KnownProduct => ({
  ...product,
  type,
})

/** Without a usable file, the user types the products. */
const readFileProducts = async (
  context: Context,
  file: string | undefined,
): Promise<readonly PricedProduct[]> => {
  if (file === undefined) return []
  const { readProductFile } = await import('./product-list.ts')
  return readProductFile(context, file).catch((error) => {
    if (!(error instanceof Failure)) throw error
    context.stderr.warn(`${sanitize(error.message)}; its products are not offered`)
    return []
  })
}

const offerSandbox = async (last: string | undefined): Promise<KnownProducts> => {
  const { builtInCatalogue, pricedProduct } = await import('../../../service/catalogue.ts')
  const { products, wallets } = builtInCatalogue()
  const currencies = [...wallets.keys()]
  return {
    products: [...products.values()].map((product) => toKnownProduct(pricedProduct(product))),
    wallets: last === undefined ? currencies : [...new Set([last, ...currencies])],
  }
}

/** Newest first. */
const listEarlierOrders = async (context: Context, account: Account): Promise<Entry[]> => {
  // Not the journal of the session: if it cannot be opened now, it may be usable when the order is sent.
  const journals = journalsOf(context, account)
  let found: Entry[] = []
  await journals.attempt('earlier orders were not read', async (journal) => {
    found = await journal.listOrders({ profile: account.name, limit: maxOrders })
  })
  await journals.close()
  return found
}

/** An attempt that created no order does not show that its wallet can pay. */
const listUsedWallets = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ orderId, wallet }) => (wallet === undefined || orderId === undefined ? [] : [wallet]))

const listProducts = (entry: Entry): KnownProduct[] =>
  (readRequestedProducts(entry) ?? []).map(({ sku, productType, quote }) => ({
    sku,
    type: productType,
    lastQuote: formatDecimal(quote),
  }))
