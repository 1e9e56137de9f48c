// Brings the journal up to date with an order that was read.
import { decimalText } from '../contract/decimal.ts'
import { isSameReference } from '../contract/reference.ts'
import type { Order } from '../contract/schemas.ts'
import type { Entry } from '../journal/entry.ts'
import type { Damaged } from '../journal/row.ts'
import type { OrderUpdate } from '../journal/standing.ts'
import type { Spending } from './deps.ts'

export const updateOf = ({ state, invoice }: Order, at: number): OrderUpdate => ({
  state,
  total: decimalText(invoice.total),
  at,
})

/** A service that was reset gives its ids again, so an id alone does not name the order that was placed. */
export const isAbout = ({ reference, damage }: Entry & Damaged, order: Order): boolean =>
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
  const entry = journal.find(owner, order.uid)
  if (entry === undefined || !isAbout(entry, order)) return undefined
  const before = journal.noteOrder(entry.number, updateOf(order, at))
  const after = before && journal.numbered(entry.number)
  if (after === undefined || !isRevived(before, after)) return undefined
  const other = journal
    .withReference(owner.account, after.reference ?? '')
    .find(({ number, confirmedAt }) => number !== after.number && confirmedAt !== undefined)
  return other && { entry: after, other }
}

const isRevived = (before: Entry | undefined, after: Entry): boolean =>
  (before?.standing === 'failed' || before?.standing === 'rejected') && after.standing !== before.standing
