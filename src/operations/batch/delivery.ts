// Decides which card of a final order belongs to which row. The first delivery decides.
import { createHmac } from 'node:crypto'
import { type Card, findCards } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import type { CardChange, WantedCard } from '../../journal/batches/slot-cards.ts'

/** A card of the order with the wanted card that gets it. A card that no row wants has none. */
export type Assigned = { readonly card: Card; readonly wanted: WantedCard | undefined }

type Keyed = Pick<Batch, 'cardKey'>

/** Matches the cards that an earlier delivery assigned. */
export const matchCards = (
  { cardKey }: Keyed,
  wanted: readonly WantedCard[],
  order: Pick<Order, 'redeem'>,
): Assigned[] => {
  const byHash = Map.groupBy(
    wanted.filter(({ hash }) => hash !== undefined),
    ({ hash }) => hash,
  )
  return findCards(order.redeem).map((card) => ({
    card,
    wanted: byHash.get(hashCard(cardKey, card))?.shift(),
  }))
}

/** Gives each new card of a final order to the next wanted card of its SKU. Wanted cards without a new card fail. */
const assignNewCards = (batch: Keyed, all: readonly WantedCard[], order: Order): CardChange[] => {
  const matched = Map.groupBy(matchCards(batch, all, order), ({ card }) => card.sku)
  const bySku = Map.groupBy(
    all.filter(({ state }) => state !== 'cancelled'),
    ({ sku }) => sku,
  )
  return [...bySku].flatMap(([sku, wanted]) => {
    const open = wanted.filter(({ hash }) => hash === undefined)
    const cards = matched.get(sku) ?? []
    // A card that was delivered may look new, because the service changed it. It must not go to another row.
    const count = cards.length - (wanted.length - open.length)
    const added = cards.filter((each) => each.wanted === undefined).slice(0, Math.max(0, count))
    return open.flatMap(({ card, state }, index): CardChange[] => {
      const found = added[index]
      if (found !== undefined)
        return [{ card, state: 'delivered', hash: hashCard(batch.cardKey, found.card) }]
      return state === 'wanted'
        ? [{ card, state: 'failed', error: `not delivered: the order is ${order.state}` }]
        : []
    })
  })
}

/** Call it with a final order of the slot. */
export const recordDelivery = (
  batches: Batches,
  batch: Batch,
  slot: number,
  order: Order,
): Promise<readonly CardChange[]> =>
  batches.settleSlot(batch.number, slot, (cards) => assignNewCards(batch, cards, order))

/** A link may change with each answer, so it counts only if the card has nothing else. */
const identify = ({ code, pin, serial, link }: Card): readonly (string | null)[] =>
  (code ?? pin ?? serial) === undefined ? [link ?? null] : [code ?? null, pin ?? null, serial ?? null]

/** With the key of the batch, so that the journal can recognise a code without storing it. */
const hashCard = (cardKey: string, card: Card): string =>
  createHmac('sha256', cardKey)
    .update(JSON.stringify([card.sku, ...identify(card)]))
    .digest('base64url')
