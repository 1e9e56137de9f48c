// Updates the journal with an order that was read.
import { formatDecimal } from '../contract/decimal.ts'
import { isSameReference } from '../contract/reference.ts'
import type { Order } from '../contract/schemas.ts'
import type { Entry } from '../journal/entry.ts'
import type { Damage } from '../journal/row.ts'
import type { OrderUpdate } from '../journal/state-writer.ts'
import type { Spending } from './deps.ts'
import { formatShownProducts } from './order-products.ts'

export const toOrderUpdate = (order: Order, at: number): OrderUpdate => ({
  state: order.state,
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

/** A failed order that changed its state after another order of the same reference was confirmed. */
export type Revived = { readonly entry: Entry; readonly other: Entry }

/** Does nothing if the order is not in the journal. */
export const noteAnswer = async (
  { journal, owner }: Pick<Spending, 'journal' | 'owner'>,
  order: Order,
  at: number,
): Promise<Revived | undefined> => {
  const entry = await journal.findOrder(owner, order.uid)
  if (entry === undefined || !isSameOrder(entry, order)) return undefined
  const before = await journal.recordOrder(entry.number, toOrderUpdate(order, at), entry)
  if (before === undefined || !failedStates.includes(before.state)) return undefined
  const after = await journal.getOrder(entry.number)
  if (after === undefined || after.state === before.state) return undefined
  const sameReference = await journal.findAllByReference(owner.account, after.reference ?? '')
  const other = sameReference.find(
    ({ number, confirmedAt }) => number !== after.number && confirmedAt !== undefined,
  )
  return other && { entry: after, other }
}

const failedStates: readonly string[] = ['failed', 'rejected']
