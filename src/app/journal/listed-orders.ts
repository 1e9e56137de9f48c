// Reads what a list shows of the orders of the journal, and which batches --batch names.
import { parseDecimal } from '../../contract/money/decimal.ts'
import { parseProducts } from '../../contract/order/ordered-products.ts'
import { Failure } from '../../errors.ts'
import { findActors } from '../../journal/actors.ts'
import { findBatchNames, findBatchNumbers } from '../../journal/batches/batch-names.ts'
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

/** The numbers of the batches with the name or id of --batch. */
export const findListedBatches = async (
  journal: Journal,
  { batch, profile }: { readonly batch?: string | undefined; readonly profile?: string | undefined },
): Promise<readonly number[] | undefined> => {
  if (batch === undefined) return undefined
  const found = await findBatchNumbers(journal.read, batch, profile)
  if (found.length > 0) return found
  const where = profile === undefined ? '' : ` for the profile ${profile}`
  throw new Failure('no-batch', `no batch '${batch}' in this journal${where}`, {
    field: '--batch',
    fix: (suggest) => suggest`batch list`,
  })
}
