// The cards of the orders that a command has read: which are duplicates, and which the journal does not know.
import type { Context } from '../../../context.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { DuplicateCard } from '../../../operations/seen-cards.ts'
import { renderDuplicates } from '../../../ui/cards/duplicates.ts'

/** Both by order id. */
export type SeenCards = {
  readonly duplicates: Map<string, readonly DuplicateCard[]>
  /** Orders whose cards are not in the journal, because there is none yet or it cannot be used. */
  readonly unrecorded: Map<string, Order>
}

/** Warns of the duplicates among these cards of the order. Returns whether there are any. */
export const warnOfDuplicates = (
  { stderr }: Pick<Context, 'stderr'>,
  { duplicates }: SeenCards,
  { uid, products }: Pick<Order, 'uid' | 'products'>,
): boolean => {
  const shown = (duplicates.get(uid) ?? []).filter(({ card }) => products.has(card.sku))
  stderr.write(renderDuplicates(uid, shown))
  return shown.length > 0
}
