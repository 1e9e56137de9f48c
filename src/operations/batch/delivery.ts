// Assigns the cards of a final order to rows. The first delivery decides.

import type { Order } from '../../contract/schemas.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import { changeSlotCards } from '../../journal/batches/cards.ts'
import type { CardChange, WantedCard } from '../../journal/batches/slot-cards.ts'
import { type CardOfOrder, findDuplicates, recordCardsOf } from '../cards/seen-cards.ts'
import type { Recorded, Session } from '../session.ts'

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

/**
 * Gives each new card of a final order to the next wanted card of its SKU. A duplicate card is given to no row. Wanted
 * cards without a new card fail.
 */
const assignNewCards = (
  all: readonly WantedCard[],
  { uid, state: orderState }: Pick<Order, 'uid' | 'state'>,
  cards: readonly CardOfOrder[],
): CardChange[] => {
  const assigned = matchCards(all, cards)
  const isKnown = ({ wanted }: Assigned): boolean => wanted !== undefined
  // The service may list the cards in a different order than before, so the cards that belong to a row come first.
  const sorted = assigned.toSorted((one, other) => Number(isKnown(other)) - Number(isKnown(one)))
  const duplicates = new Map(findDuplicates(uid, sorted).map(({ number, of }) => [number, of]))
  const isGood = (each: Assigned): boolean => isKnown(each) || !duplicates.has(each.number)
  const matched = Map.groupBy(assigned, ({ card }) => card.sku)
  const bySku = Map.groupBy(
    all.filter(({ state }) => state !== 'cancelled'),
    ({ sku }) => sku,
  )
  return [...bySku].flatMap(([sku, wanted]) => {
    const open = wanted.filter(({ hash }) => hash === undefined)
    const found = matched.get(sku) ?? []
    const good = found.filter(isGood)
    // A card that was delivered may look new, because the service changed it. It must not go to a different row.
    const count = good.length - (wanted.length - open.length)
    const added = [
      ...good.filter((each) => !isKnown(each)).slice(0, Math.max(0, count)),
      ...found.filter((each) => !isGood(each)),
    ]
    return open.flatMap(({ card, state }, index): CardChange[] => {
      const next = added[index]
      const of = next && duplicates.get(next.number)
      if (next !== undefined && of === undefined)
        return [{ card, state: 'delivered', hash: next.hashes[0] ?? '' }]
      if (state === 'duplicate') return []
      if (of === uid) return [{ card, state: 'duplicate', error: 'the order lists the same code twice' }]
      if (of !== undefined) return [{ card, state: 'duplicate', error: `the order ${of} has the same code` }]
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
export type ShownOrder = Pick<Recorded, 'cards'> & { readonly order: Order }

/** Call it with a final order of the slot. Returns all its cards. */
export const recordDelivery = async (session: DeliverySession, slot: number, shown: ShownOrder) => {
  const { order } = shown
  // The first order of a card stays the first, so a different transaction may assign it.
  const cards = shown.cards ?? (await recordCardsOf(session, order))
  const changes = await changeSlotCards(session.journal, session.batch.number, slot, (wanted) =>
    assignNewCards(wanted, order, cards),
  )
  return { changes, cards }
}
