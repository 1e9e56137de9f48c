// Updates the journal with an order that was read.
import { formatDecimal } from '../contract/decimal.ts'
import { findCards } from '../contract/redeem-cards.ts'
import { isSameReference } from '../contract/reference.ts'
import type { Order } from '../contract/schemas.ts'
import { isPastPending } from '../contract/states.ts'
import type { Entry } from '../journal/entry.ts'
import { findOvercharge, type OrderUpdate } from '../journal/observations.ts'
import type { Damage } from '../journal/row.ts'
import type { Spending } from './deps.ts'
import { formatShownProducts } from './order-products.ts'

/** Cards prove that the order is paid, even in an undocumented state. */
export const isPaid = (order: Order): boolean =>
  isPastPending(order.state) || findCards(order.redeem).length > 0

export const toOrderUpdate = (order: Order, at: number): OrderUpdate => ({
  state: order.state,
  hasCards: findCards(order.redeem).length > 0,
  total: formatDecimal(order.invoice.total),
  products: formatShownProducts(order),
  at,
})

/** A service that was reset reuses its ids, so the reference must match too. */
export const isSameOrder = (
  { reference, damage }: Pick<Entry, 'reference'> & Damage,
  order: Order,
): boolean =>
  reference === undefined ||
  damage?.includes('reference') === true ||
  isSameReference(reference, order.reference)

/** An order that was charged more than its total. */
export type Overcharge = { readonly entry: Entry; readonly charged: string }

/** Does nothing if the order is not in the journal. */
export const noteAnswer = async (
  { journal, owner }: Pick<Spending, 'journal' | 'owner'>,
  order: Order,
  at: number,
): Promise<Overcharge | undefined> => {
  const entry = await journal.findOrder(owner, order.uid)
  if (entry === undefined || !isSameOrder(entry, order)) return undefined
  const update = toOrderUpdate(order, at)
  await journal.recordOrder(entry.number, update, entry)
  const charged = findOvercharge(entry, update)
  return charged === undefined ? undefined : { entry, charged }
}
