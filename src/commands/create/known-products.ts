// What the wizard can offer: the sandbox's catalogue, or what this machine has ordered on the account before and what
// stands in the profile's product file.
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import type { Entry } from '../../journal/entry.ts'
import { readRequestedProducts } from '../../journal/requested-products.ts'
import type { Account } from '../../profiles/account.ts'
import type { PricedProduct } from '../../service/catalogue.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import type { KnownProduct } from './wizard/product.ts'
import type { Known } from './wizard/wizard.ts'

type Offered = Pick<Known, 'products' | 'wallets'>

const orders = 300

export const knownProducts = async (context: Context, account: Account): Promise<Offered> => {
  if (account.kind === 'sandbox') return ofSandbox(await lastWallet(context, account.name))
  const { name, baseUrl, wallet, products: file } = account
  const entries = (await ordered(context, name)).filter(({ origin }) => origin === baseUrl)
  const wallets = [wallet, ...entries.map((entry) => entry.wallet)].filter((each) => each !== undefined)
  const products = new Map<string, KnownProduct>()
  for (const product of entries.flatMap(productsIn)) {
    if (!products.has(product.sku)) products.set(product.sku, product)
  }
  for (const product of await inFile(context, file)) {
    products.set(product.sku, { ...products.get(product.sku), ...knownOf(product) })
  }
  return { products: [...products.values()], wallets: [...new Set(wallets)] }
}

const knownOf = ({ productType: type, ...product }: PricedProduct): KnownProduct => ({ ...product, type })

/** Without it, products are typed. */
const inFile = async (context: Context, file: string | undefined): Promise<readonly PricedProduct[]> => {
  if (file === undefined) return []
  const { readProductFile } = await import('../shared/product-file.ts')
  return readProductFile(context, file).catch((error) => {
    if (!(error instanceof Failure)) throw error
    context.stderr.write(`warning: ${sanitize(error.message)}; its products are not offered\n`)
    return []
  })
}

const ofSandbox = async (last: string | undefined): Promise<Offered> => {
  const { builtInCatalogue, pricedProduct } = await import('../../service/catalogue.ts')
  const { products, wallets } = builtInCatalogue()
  const currencies = [...wallets.keys()]
  return {
    products: [...products.values()].map((product) => knownOf(pricedProduct(product))),
    wallets: last === undefined ? currencies : [...new Set([last, ...currencies])],
  }
}

/** Newest first. */
const ordered = async (context: Context, profile: string): Promise<Entry[]> => {
  const journals = journalsOf(context)
  let found: Entry[] = []
  await journals.attemptIfThere('what was ordered before was not looked up', (journal) => {
    found = journal.listOrders({ profile, limit: orders })
  })
  await journals.close()
  return found
}

const lastWallet = async (context: Context, profile: string): Promise<string | undefined> =>
  (await ordered(context, profile)).find(({ wallet }) => wallet !== undefined)?.wallet

const productsIn = (entry: Entry): KnownProduct[] =>
  (readRequestedProducts(entry) ?? []).map(({ sku, productType, quote }) => ({
    sku,
    type: productType,
    lastQuote: formatDecimal(quote),
  }))
