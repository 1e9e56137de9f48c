// Assigns the cards of a final order to rows. The first delivery decides.

import { parseProducts } from '../../contract/order/ordered-products.ts'
import { mayHideCards } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Access } from '../../journal/access.ts'
import type { Batch } from '../../journal/batches/batches.ts'
import { changeSlotCards } from '../../journal/batches/cards.ts'
import type { CardChange, WantedCard } from '../../journal/batches/slots.ts'
import { findShownCards, listFirstShown } from '../../journal/orders/seen-cards.ts'
import { hasSucceeded } from '../../journal/orders/standings.ts'
import type { Session } from '../../operations/dependencies.ts'
import { type CardOfOrder, findDuplicates, recordCardsOf } from '../../operations/identify-cards.ts'
import type { OrderRecord } from '../../operations/view.ts'

/** A card of the order with the wanted card that gets it. A card that no row wants gets none. */
type Assigned = CardOfOrder & { readonly wanted: WantedCard | undefined }

const keyOf = (sku: string, hash: string | undefined): string => JSON.stringify([sku, hash])

/** Matches the cards that an earlier delivery assigned. */
export const matchCards = (wanted: readonly WantedCard[], cards: readonly CardOfOrder[]): Assigned[] => {
  const byHash = new Map(
    wanted.flatMap((each) => (each.hash === undefined ? [] : [[keyOf(each.sku, each.hash), each]])),
  )
  return cards.map((each) => {
    const key = each.hashes.map((hash) => keyOf(each.card.sku, hash)).find((text) => byHash.has(text))
    const found = byHash.get(key ?? '')
    byHash.delete(key ?? '')
    return { ...each, wanted: found }
  })
}

const unsureError = "another row's card is no longer in the order, and this new card may be the same card"
const goneError = 'the order listed more cards before'
const missingError = 'the order is paid and successful without this card, which may still come'
const hiddenError = 'the order has redeem data in an undocumented form, which may be this card'

/**
 * Gives each new card of a final order to the next wanted card of its SKU. A card that may be another row's card is given
 * to no row. Wanted cards without a new card fail, and may be bought again unless the order is successful.
 */
const assignNewCards = async (
  access: Access,
  all: readonly WantedCard[],
  { order, known: stored }: ShownOrder,
  cards: readonly CardOfOrder[],
): Promise<CardChange[]> => {
  const { uid, state: orderState } = order
  const assigned = matchCards(all, cards)
  const known = assigned.filter(({ wanted }) => wanted !== undefined)
  const added = assigned.filter(({ wanted }) => wanted === undefined)
  // The service may list the cards in a different order than before, so the cards that belong to a row come first.
  const duplicates = new Map(findDuplicates(uid, [...known, ...added]).map(({ number, of }) => [number, of]))
  const listed = new Set(known.map(({ wanted }) => wanted?.hash))
  const absent = all.filter(({ hash }) => hash !== undefined && !listed.has(hash))
  const given = absent.map(({ hash = '' }) => [hash])
  const shown = await findShownCards(access, uid, given)
  // The service may have changed the fields of a card that a row has. Then the card looks new. A different order of the
  // slot was the first to show the cards that it delivered.
  const gone = absent.filter((_, index) => shown[index]?.otherOrderId === undefined)
  const isUnsure = gone.length > 0
  // Such an order may have shown more cards than it lists now. For each of them, one wanted card may have come.
  const kept = new Set([...given.flat(), ...listed, ...cards.flatMap(({ hashes }) => hashes)])
  const lost = isUnsure ? (await listFirstShown(access, uid)).filter((hash) => !kept.has(hash)) : []
  const findProblem = ({ number }: Assigned): string | undefined => {
    const of = duplicates.get(number)
    if (of === uid) return 'the order lists the same code twice'
    if (of !== undefined) return `the order ${of} has the same code`
    return isUnsure ? unsureError : undefined
  }
  const found = Map.groupBy(
    added.map((each) => ({ ...each, error: findProblem(each) })),
    ({ card }) => card.sku,
  )
  const open = Map.groupBy(
    all.filter(({ hash, state }) => hash === undefined && state !== 'cancelled'),
    ({ sku }) => sku,
  )
  const mostListed = new Map(
    parseProducts(stored?.entry.products ?? '')?.map(({ sku, delivered = 0 }) => [sku, delivered]),
  )
  const now = Map.groupBy([...cards.map(({ card }) => card), ...gone], ({ sku }) => sku)
  const hidesCards = mayHideCards(order)
  const findMissing = (sku: string): string | undefined => {
    if (hidesCards) return hiddenError
    const isMissing = stored !== undefined && hasSucceeded(stored.entry) && order.products.has(sku)
    return isMissing ? missingError : undefined
  }
  return [...open].flatMap(([sku, wanted]) => {
    const missing = (mostListed.get(sku) ?? 0) - (now.get(sku)?.length ?? 0) - lost.length
    const offered = [
      ...(found.get(sku) ?? []).toSorted(
        (one, other) => Number(one.error !== undefined) - Number(other.error !== undefined),
      ),
      ...lost.map((hash) => ({ hashes: [hash], error: unsureError })),
      ...Array.from({ length: Math.max(0, missing) }, () => ({ hashes: [], error: goneError })),
    ]
    return wanted.flatMap(({ card, state }, index): CardChange[] => {
      const next = offered[index]
      if (next !== undefined && next.error === undefined)
        return [{ card, state: 'delivered', hash: next.hashes[0] ?? '' }]
      if (state === 'duplicate') return []
      const error = next?.error ?? findMissing(sku)
      if (error !== undefined) return [{ card, state: 'duplicate', error }]
      return state === 'wanted'
        ? [{ card, state: 'failed', error: `not delivered: the order is ${orderState}` }]
        : []
    })
  })
}

export type DeliverySession = Pick<Session, 'journal' | 'owner'> & {
  readonly batch: Pick<Batch, 'number'>
}

/** `cards`: undefined if they are not recorded yet. */
export type ShownOrder = OrderRecord & { readonly order: Order }

/** Call it with a final order of the slot. Returns all its cards. */
export const recordDelivery = async (session: DeliverySession, slot: number, shown: ShownOrder) => {
  const { order } = shown
  // The first order of a card stays the first, so a different transaction may assign it.
  const cards = shown.cards ?? (await recordCardsOf(session, order))
  const changes = await changeSlotCards(session.journal, session.batch.number, slot, (wanted, access) =>
    assignNewCards(access, wanted, shown, cards),
  )
  return { changes, cards }
}
