// Brings the journal up to date with an order that was read.
import { formatDecimal } from '../contract/decimal.ts'
import { isSameReference } from '../contract/reference.ts'
import type { Order } from '../contract/schemas.ts'
import type { Entry } from '../journal/entry.ts'
import type { Damage } from '../journal/row.ts'
import type { OrderUpdate } from '../journal/state-changes.ts'
import type { Spending } from './deps.ts'

export const updateOf = ({ state, invoice }: Order, at: number): OrderUpdate => ({
  state,
  total: formatDecimal(invoice.total),
  at,
})

/** A service that was reset gives its ids again, so an id alone does not name the order that was placed. */
export const isAbout = ({ reference, damage }: Entry & Damage, order: Order): boolean =>
  reference === undefined ||
  damage?.includes('reference') === true ||
  isSameReference(reference, order.reference)

/** Another order that was placed under the same reference after this one had failed. */
export type Revived = { readonly entry: Entry; readonly other: Entry }

/** Notes the order, if it is in the journal; tells if it came back after its reference was used again. */
export const noteAnswer = (
  { journal, owner }: Pick<Spending, 'journal' | 'owner'>,
  order: Order,
  at: number,
): Revived | undefined => {
  const entry = journal.findOrder(owner, order.uid)
  if (entry === undefined || !isAbout(entry, order)) return undefined
  const before = journal.recordOrder(entry.number, updateOf(order, at))
  const after = before && journal.getOrder(entry.number)
  if (after === undefined || !isRevived(before, after)) return undefined
  const other = journal
    .findAllByReference(owner.account, after.reference ?? '')
    .find(({ number, confirmedAt }) => number !== after.number && confirmedAt !== undefined)
  return other && { entry: after, other }
}

const isRevived = (before: Entry | undefined, after: Entry): boolean =>
  (before?.state === 'failed' || before?.state === 'rejected') && after.state !== before.state
