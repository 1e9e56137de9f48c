// The only functions that show codes. They first record who sees them. Also warns if two cards have one code.
import type { Context } from '../../../context.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { Reveal } from '../../../journal/reveals.ts'
import { findDuplicates, recordCardsOf, type SeenCards } from '../../../operations/seen-cards.ts'
import { describeDuplicates } from '../../../ui/cards/duplicates.ts'
import type { CommandSession } from '../session.ts'

/** The codes that are shown: those of these SKUs in this order. */
export type ShownCodes = {
  readonly orderId: string
  readonly skus: readonly string[]
}

export const codesOf = ({ uid, redeem }: Pick<Order, 'uid' | 'redeem'>): ShownCodes => ({
  orderId: uid,
  skus: [...(redeem ?? new Map()).keys()],
})

/**
 * Records that codes leave orderctl, and then shows them. Throws if nobody could know about it later. The journal never
 * gets the codes.
 */
export const revealOrders = async <Result>(
  context: Context,
  { journals, owner, clock, seenCards: { duplicates, unrecorded } }: CommandSession,
  { orders, how }: { readonly orders: readonly ShownCodes[] } & Pick<Reveal, 'how'>,
  show: () => Result,
): Promise<Awaited<Result>> => {
  const shown = orders.filter(({ skus }) => skus.length > 0)
  if (shown.length > 0) {
    const { profile, origin } = owner
    const common = { profile, origin, at: clock.now(), who: context.user(), how }
    const reveals = shown.map(({ orderId, skus }) => ({ ...common, orderId, skus }))
    try {
      const journal = await journals.openToWrite()
      for (const { orderId } of shown) {
        const order = unrecorded.get(orderId)
        if (order === undefined) continue
        const found = findDuplicates(orderId, await recordCardsOf({ journal, owner }, order))
        if (found.length > 0) duplicates.set(orderId, found)
      }
      await journal.recordReveals(reveals)
    } catch (error) {
      const { keepReveals } = await import('../journal/keep-reveals.ts')
      keepReveals(context, journals.place, reveals, error)
      if (shown.some(({ orderId }) => unrecorded.has(orderId)))
        context.stderr.warn('it was not checked whether another order has the same codes')
    }
  }
  return await show()
}

/** Warns of the duplicates among these cards of the order. Returns whether there are any. */
export const warnOfDuplicates = (
  { stderr }: Pick<Context, 'stderr'>,
  { duplicates }: SeenCards,
  { uid, products }: Pick<Order, 'uid' | 'products'>,
): boolean => {
  const shown = (duplicates.get(uid) ?? []).filter(({ card }) => products.has(card.sku))
  for (const text of describeDuplicates(uid, shown)) stderr.warn(text)
  return shown.length > 0
}
