// The products and wallets of an account that are known without a request: those of the sandbox's catalogue, or those of
// earlier orders and of the profile's product file. Earlier orders do not show all products, so they are only hints.

import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/money/decimal.ts'
import type { ProductLine } from '../../contract/order/order-request.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import { listOrders } from '../../journal/orders/list-orders.ts'
import type { Account } from '../../profiles/account.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { journalsOf } from '../journal/open-journal.ts'
import {
  joinProducts,
  type KnownProduct,
  listOrdered,
  type ProductList,
  readProductList,
  suggestSku,
} from './product-list.ts'

export type KnownProducts = {
  readonly products: readonly KnownProduct[]
  /** Every product that the account can order. Undefined if unknown. */
  readonly list: ProductList | undefined
  /** The likeliest comes first. */
  readonly wallets: readonly string[]
}

export const findKnownProducts = async (context: Context, account: Account): Promise<KnownProducts> => {
  // Not the journal of the session: if it cannot be opened now, it may be usable when the order is sent.
  await using journals = journalsOf(context, account)
  let created: readonly Entry[] = []
  await journals.attempt('earlier orders were not read', async (journal) => {
    created = await listEarlierOrders(journal, account)
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

const maxOrders = 300

/** Newest first. An order that was never created proves neither its products nor its wallet. */
const listEarlierOrders = async (
  { read }: Pick<Journal, 'read'>,
  account: Account,
): Promise<readonly Entry[]> => {
  const entries = await listOrders(read, { profile: account.name, limit: maxOrders })
  return entries.filter(
    ({ orderId, origin }) =>
      orderId !== undefined && (account.kind === 'sandbox' || origin === account.baseUrl),
  )
}

type OrderedProduct = Pick<ProductLine, 'sku' | 'productType' | 'quote'>

type EarlierProducts = ReadonlyMap<string, OrderedProduct>

/** Products that the service refused are not among them. */
export const readEarlierProducts = async (
  journal: Pick<Journal, 'read'>,
  account: Account,
): Promise<EarlierProducts> => listOrdered(await listEarlierOrders(journal, account))

type ProductHint = {
  readonly kind: 'sku' | 'price'
  readonly text: string
  readonly isLikely: boolean
}

/** A hint about a product that differs from those of earlier orders. Undefined if there is nothing to say. */
export const findHint = (
  earlier: EarlierProducts,
  { sku, productType, quote }: OrderedProduct,
): ProductHint | undefined => {
  if (earlier.size === 0) return undefined
  const known = earlier.get(sku)
  if (known === undefined) {
    const suggestion = suggestSku(sku, earlier.keys())
    const text = `${sku} is in no earlier order of this account${suggestion}`
    return { kind: 'sku', text, isLikely: suggestion !== '' }
  }
  const createPriceHint = (was: string, is: string) =>
    ({ kind: 'price', text: `${sku} was ${was} in an earlier order, not ${is}`, isLikely: true }) as const
  if (known.productType !== productType) return createPriceHint(known.productType, productType)
  return productType === 'fixed' && !known.quote.eq(quote)
    ? createPriceHint(formatDecimal(known.quote), formatDecimal(quote))
    : undefined
}

const maxWarnings = 20

/** Warns once of each product that is probably a typing error. `place` names it: 'line 7'. */
export const warnOfProducts = (
  { stderr }: Pick<Context, 'stderr'>,
  earlier: EarlierProducts,
  lines: Iterable<readonly [place: string, line: OrderedProduct]>,
): void => {
  const warned = new Set<string>()
  for (const [place, line] of lines) {
    if (warned.size === maxWarnings) return
    const hint = findHint(earlier, line)
    if (hint === undefined || !hint.isLikely || warned.has(hint.text)) continue
    warned.add(hint.text)
    stderr.warn(sanitize(`${place}: ${hint.text}`))
  }
}
