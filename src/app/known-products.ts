// The products and wallets of an account that are known without a request, for prompts and the TAB key: those of the sandbox
// or of a product file, and those of earlier orders. Earlier orders do not show all products, so they are only hints.

import type { Context } from '../context.ts'
import { formatDecimal } from '../contract/money/decimal.ts'
import type { ProductLine } from '../contract/order/order-request.ts'
import type { Entry } from '../journal/orders/entries.ts'
import { listOrders } from '../journal/orders/list-orders.ts'
import { readRequestedProducts } from '../operations/offer.ts'
import type { Account } from '../profiles/account.ts'
import type { PricedProduct } from '../service/catalogue.ts'
import { journalsOf } from './journals.ts'
import type { ProductList } from './product-list.ts'
import { readProductList } from './product-list.ts'

export type KnownProduct = {
  readonly sku: string
  readonly name?: string
  readonly type: string
  /** The range that the service allows. */
  readonly price?: PricedProduct['price']
  readonly lastQuote?: string
}

/** Each product as it was ordered last. `orders`: the newest first. */
export const listOrdered = (orders: readonly Pick<Entry, 'request'>[]): ReadonlyMap<string, ProductLine> => {
  const products = new Map<string, ProductLine>()
  for (const line of orders.flatMap((order) => readRequestedProducts(order) ?? []))
    if (!products.has(line.sku)) products.set(line.sku, line)
  return products
}

/** The products of these orders, then those of the list. What the list says of a product is newer. */
export const joinProducts = (
  orders: readonly Pick<Entry, 'request'>[],
  list: ProductList | undefined,
): readonly KnownProduct[] => {
  const products = new Map<string, KnownProduct>()
  for (const { sku, productType: type, quote } of listOrdered(orders).values())
    products.set(sku, { sku, type, lastQuote: formatDecimal(quote) })
  for (const { productType: type, ...product } of list?.products.values() ?? [])
    products.set(product.sku, { ...products.get(product.sku), ...product, type })
  return [...products.values()]
}

export type KnownProducts = {
  readonly products: readonly KnownProduct[]
  /** Every product that the account can order. Undefined if unknown. */
  readonly list: ProductList | undefined
  /** The likeliest comes first. */
  readonly wallets: readonly string[]
}

const maxOrders = 300

export const findKnownProducts = async (context: Context, account: Account): Promise<KnownProducts> => {
  // Not the journal of the session: if it cannot be opened now, it may be usable when the order is sent.
  await using journals = journalsOf(context, account)
  let created: readonly Entry[] = []
  await journals.attempt('earlier orders were not read', async (journal) => {
    const entries = await listOrders(journal.read, { profile: account.name, limit: maxOrders })
    // An order that was never created proves neither its products nor its wallet.
    created = entries.filter(
      ({ orderId, origin }) =>
        orderId !== undefined && (account.kind === 'sandbox' || origin === account.baseUrl),
    )
  })
  // Without a usable file, the user types the products.
  const list = await readProductList(context, account, 'its products are not offered')
  const used = created.flatMap(({ wallet }) => wallet ?? [])
  const wallets =
    account.kind === 'sandbox'
      ? [...used.slice(0, 1), ...(list?.wallets ?? [])]
      : [account.wallet ?? [], used].flat()
  return {
    products: joinProducts(account.kind === 'sandbox' ? [] : created, list),
    list,
    wallets: [...new Set(wallets)],
  }
}
