// Reads what a list shows of the orders of the journal.
import { parseDecimal } from '../../contract/money/decimal.ts'
import { parseProducts } from '../../contract/ordered-products.ts'
import { findActors } from '../../journal/actors.ts'
import { findBatchNames } from '../../journal/batches/batch-names.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import { findSeenTime, isStale } from '../../journal/orders/observations.ts'
import { findUndocumented } from '../../journal/orders/standings.ts'
import { readRequestedProducts } from '../../operations/compare.ts'
import { type OrderView, viewOrder } from '../../operations/view.ts'
import type { ListedOrder } from '../../ui/screens/orders.ts'

/** The products of an order that was created elsewhere, as the service showed them. */
const readShownProducts = ({ products }: Entry) =>
  parseProducts(products ?? '')?.map(({ sku, productType, quote, ordered }) => ({
    sku,
    productType,
    quote: parseDecimal(quote),
    quantity: ordered,
  }))

/** What the journal alone says about an order. */
const viewEntry = (entry: Entry, now: number): OrderView =>
  viewOrder({ entry, calls: [] }, undefined, { now, serviceNow: undefined, wants: 'shown' })

/** Keeps what else is known of each order. */
export const describeOrders = async <Known extends { readonly entry: Entry }>(
  journal: Journal,
  orders: readonly Known[],
  now: number,
): Promise<(Known & ListedOrder)[]> => {
  const entries = orders.map(({ entry }) => entry)
  const [batches, findActor] = await Promise.all([
    findBatchNames(journal.read, entries),
    findActors(journal.read, entries),
  ])
  return orders.map((order) => {
    const { entry } = order
    return {
      ...order,
      view: viewEntry(entry, now),
      products: readRequestedProducts(entry) ?? readShownProducts(entry),
      batch: entry.batch === undefined ? undefined : batches.get(entry.batch),
      by: findActor(entry),
      staleSince: isStale(entry, now) ? findSeenTime(entry) : undefined,
      undocumentedWord: findUndocumented(entry),
    }
  })
}
