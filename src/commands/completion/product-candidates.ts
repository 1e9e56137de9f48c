// Candidates from the products on sale and those that were ordered, and the wallets to pay from.
import {
  joinProducts,
  type KnownProduct,
  listOrdered,
  readProductList,
} from '../../app/products/product-list.ts'
import { lastWord } from '../../contract/order/order-words.ts'
import { type RecentOrder, readNewestOrders } from '../../journal/read-only.ts'
import type { Account } from '../../profiles/account.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { findLast } from './journal-candidates.ts'
import { findAccount, queryJournal } from './journal-reader.ts'
import { type Asked, type Source, toCandidates } from './source.ts'

const readList = ({ context }: Asked, account: Account | undefined) =>
  account && readProductList(context, account, false)

const readOrders = (asked: Asked) =>
  queryJournal(asked, (reader) => readNewestOrders(reader, '', { hasRequest: true }))

/** An order that was never created proves neither its products nor its wallet. */
const hasId = ({ orderId }: RecentOrder): boolean => orderId !== undefined

const readOrdered = async (asked: Asked) => (await readOrders(asked)).filter(hasId)

/** The ordered products. If the line names one of these orders, only its products. */
export const findSkus: Source = async (asked) => {
  const { path, operands } = asked.line
  const [name = ''] = operands
  const all = await readOrders(asked)
  const orders = all.filter(hasId)
  const named =
    name === lastWord
      ? findLast(path, all)
      : orders.find(({ orderId, reference }) => [orderId, `ref:${reference}`].includes(name))
  return toCandidates([...listOrdered(named === undefined ? orders : [named].filter(hasId)).keys()])
}

const offerProduct = ({ sku, name, type, price, lastQuote }: KnownProduct): Candidate => {
  // The current price, not that of the last order.
  if (type === 'fixed')
    return { value: `${sku}:${price?.least ?? lastQuote}`, description: price ? name : 'last ordered amount' }
  const range = price && `${price.least} to ${price.most} ${price.currency}`
  // The form comes first, because a shell cuts off the end of a long description.
  const parts = [`${sku}:QUOTE/${type}`, name, range]
  return { value: `${sku}:`, description: parts.filter((each) => each !== undefined).join(', ') }
}

/** `SKU:QUOTE` if the price is known, otherwise `SKU:`. The user may add a quantity and a type. */
export const findProducts: Source = async (asked) => {
  const list = await readList(asked, await findAccount(asked))
  // A journal that cannot be read hides no product of the list.
  const products = joinProducts(await readOrdered(asked).catch(() => []), list)
  return { candidates: products.map(offerProduct), next: 'nospace' }
}

/** For the sandbox, its wallets. For a profile, its default wallet, then the wallets of its orders. */
export const findWallets: Source = async (asked) => {
  const account = await findAccount(asked)
  if (account?.kind === 'sandbox') return toCandidates((await readList(asked, account))?.wallets ?? [])
  const used = (await readOrdered(asked)).map(({ wallet }) => wallet)
  return toCandidates([account?.wallet, ...used].filter((each) => each !== undefined))
}
