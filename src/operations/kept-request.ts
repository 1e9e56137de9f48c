// The request of a create as the journal stores it, and its differences to another request.
import { formatDecimal } from '../contract/decimal.ts'
import type { OrderRequest, ProductLine } from '../contract/order-request.ts'
import type { Entry } from '../journal/entry.ts'
import { readRequestedProducts } from '../journal/requested-products.ts'
import type { Difference } from './compare.ts'

/** Without the webhook, because its address may be a secret. */
export const toStoredRequest = ({ productList, wallet, reference }: OrderRequest) => ({
  productList,
  wallet,
  reference,
})

type Wanted = Pick<OrderRequest, 'productList' | 'wallet'>

/** Undefined if the entry has no request. References are not compared. */
export const compareRequest = (
  entry: Pick<Entry, 'request' | 'wallet'>,
  { productList, wallet }: Wanted,
): Difference[] | undefined => {
  const stored = readRequestedProducts(entry)
  if (stored === undefined) return undefined
  const placed = new Map(stored.map((line) => [line.sku, line]))
  const wanted = new Map(productList.map((line) => [line.sku, line]))
  const skus = [...new Set([...placed.keys(), ...wanted.keys()])]
  const lines = skus.flatMap((sku) => {
    const [before, now] = [describeLine(placed.get(sku)), describeLine(wanted.get(sku))]
    return before === now ? [] : [{ field: `product ${sku}`, placed: before, now }]
  })
  const wallets =
    entry.wallet === wallet ? [] : [{ field: 'wallet', placed: entry.wallet ?? '', now: wallet }]
  return [...wallets, ...lines]
}

const describeLine = (line: ProductLine | undefined): string =>
  line === undefined ? 'none' : `${line.quantity} x ${formatDecimal(line.quote)} (${line.productType})`
