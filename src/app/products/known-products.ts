// The products and wallets of an account that are known without a request: those of the sandbox's catalogue, or those of
// earlier orders and of the profile's product file. Earlier orders do not show all products, so they are only hints.

import type { Context } from '../../context.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import { listOrders } from '../../journal/orders/list-orders.ts'
import type { Account } from '../../profiles/account.ts'
import { journalsOf } from '../journal/journals.ts'
import { joinProducts, type KnownProduct, type ProductList, readProductList } from './product-list.ts'

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
