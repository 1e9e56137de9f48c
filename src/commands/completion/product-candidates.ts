// Candidates from the products on sale and those that were ordered, and the wallets to pay from.
import {
  joinProducts,
  type KnownProduct,
  listOrdered,
  readProductList,
} from '../../app/products/product-list.ts'
import { lastWord } from '../../contract/order/order-words.ts'
import { readNewestRequests } from '../../journal/read-only.ts'
import type { Account } from '../../profiles/account.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { isLast } from './journal-candidates.ts'
import { findAccount, queryAccount } from './journal-reader.ts'
import { type Asked, removeRepeated, type Source, toCandidates } from './source.ts'

const readList = ({ context }: Asked, account: Account | undefined) =>
  account && readProductList(context, account, false)

/** The ordered products, otherwise those on sale. If the line names an order of the journal, only its products. */
export const findSkus: Source = async (asked) => {
  const rows = await queryAccount(asked, readNewestRequests)
  const [named] = asked.line.operands
  const chosen =
    named === lastWord
      ? rows.filter(isLast).slice(0, 1)
      : rows.filter(({ orderId, reference }) => named && [orderId, `ref:${reference}`].includes(named))
  const ordered = listOrdered(chosen.length > 0 ? chosen : rows)
  if (ordered.size > 0) return toCandidates([...ordered.keys()])
  const list = await readList(asked, await findAccount(asked))
  return [...(list?.products.values() ?? [])].map(({ sku, name }) => ({ value: sku, description: name }))
}

const describeProduct = (
  { sku, name, type, price, lastQuote }: KnownProduct,
  hasType: boolean,
): Candidate => {
  // The current price, not that of the last order.
  if (type === 'fixed') {
    const description = price === undefined ? 'last ordered amount' : name
    return { value: `${sku}:${price?.least ?? lastQuote}`, description }
  }
  const form = `${sku}:QUOTE/${type}`
  if (price === undefined) return { value: `${sku}:`, description: `${type}: ${form}` }
  const range = `${price.least} to ${price.most} ${price.currency}`
  // The form comes first, because a shell cuts off the end of a long description.
  const parts = [hasType ? undefined : form, name, range]
  return { value: `${sku}:`, description: parts.filter((each) => each !== undefined).join(', ') }
}

/** `SKU:QUOTE` if the price is known, otherwise `SKU:`. The user may add a quantity and a type. */
export const findProducts: Source = async (asked) => {
  const account = await findAccount(asked)
  const isSandbox = account?.kind === 'sandbox'
  const list = await readList(asked, account)
  const ordered = isSandbox ? [] : await queryAccount(asked, readNewestRequests)
  const products = joinProducts(ordered, list)
  return { candidates: products.map((each) => describeProduct(each, isSandbox)), next: 'nospace' }
}

/** For the sandbox, its wallets. For a profile, its default wallet, then the wallets of its orders. */
export const findWallets: Source = async (asked) => {
  const account = await findAccount(asked)
  if (account?.kind === 'sandbox') return toCandidates((await readList(asked, account))?.wallets ?? [])
  const own = account?.wallet
  const used = (await queryAccount(asked, readNewestRequests)).flatMap(({ wallet, placedAt }) => {
    const description = `last used ${formatRelative(placedAt, asked.context.clock.now())}`
    return wallet === undefined ? [] : { value: wallet, description }
  })
  const first = own === undefined ? [] : [{ value: own, description: 'default wallet of this profile' }]
  return removeRepeated([...first, ...used])
}
