// What an answer adds to the products and the amount of an order in the journal.
import { mergeProducts } from '../contract/ordered-products.ts'
import { isPastPending } from '../contract/states.ts'
import type { Entry } from './entry.ts'
import { type ProductColumns, toProductColumns } from './product-columns.ts'
import { canFollow, type OrderUpdate } from './state-writer.ts'

export type OrderDetails = ProductColumns & {
  readonly charged: string | null
}

/** What an answer adds to the journal. Undefined if that is nothing, or if the answer is older than the journal. */
export const findDetails = (entry: Entry, update: OrderUpdate): OrderDetails | undefined => {
  if (!isCurrent(entry, update)) return undefined
  const products = mergeProducts(entry.products, update.products)
  const charged = findCharged(entry, update)
  if (products === entry.products && charged === entry.charged) return undefined
  return { ...toProductColumns(products), charged: charged ?? null }
}

/** Whether the order has the state of the update afterwards (see recordState). */
const isCurrent = ({ state, confirmedAt }: Entry, update: OrderUpdate): boolean =>
  state === update.state || confirmedAt === undefined || canFollow(state, update.state)

const findCharged = ({ total, charged }: Entry, update: OrderUpdate): string | undefined => {
  if (update.total === undefined || !isPastPending(update.state)) return charged
  return update.total === (charged ?? total ?? update.total) ? charged : update.total
}
