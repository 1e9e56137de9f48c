// Tells the cards of an order apart, records them, and finds those whose code another card has.
import { builtin } from '../builtin.ts'
import { type Card, findCards } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { type HashCard, recordCards, type SeenCard } from '../journal/seen-cards.ts'
import type { Spending } from './deps.ts'

export type CardOfOrder = SeenCard & {
  readonly card: Card
  /** The number of the card in the order, counted as redeem counts it. */
  readonly number: number
}

/** Another card has its code: of another order, or before it in the same order. */
export type DuplicateCard = CardOfOrder & { readonly of: string }

/** Without the SKU, because a service may list one code for two products. */
const identifyCard = ({ code, pin, serial, link }: Card): readonly (string | null)[] =>
  // A link may change with each response, so it counts only if the card has nothing else.
  (code ?? pin ?? serial) === undefined ? [link ?? null] : [code ?? null, pin ?? null, serial ?? null]

/** So that the journal can recognize a card without its code. */
export const createCardHash =
  (card: Card): HashCard =>
  (key) =>
    builtin
      .crypto()
      .createHmac('sha256', key)
      .update(JSON.stringify(identifyCard(card)))
      .digest('base64url')

/** By response. What the journal has recorded never changes. */
const recorded = new WeakMap<object, readonly CardOfOrder[]>()

/** Once it resolves, the journal knows the cards of the order. */
export const recordCardsOf = async (
  { journal, owner }: Pick<Spending, 'journal' | 'owner'>,
  order: Pick<Order, 'uid' | 'redeem'>,
): Promise<readonly CardOfOrder[]> => {
  const known = recorded.get(order)
  if (known !== undefined) return known
  const all = findCards(order.redeem)
  if (all.length === 0) return []
  const { account } = owner
  const seen = await recordCards(journal, { account, orderId: order.uid, cards: all.map(createCardHash) })
  const cards = all.map((card, index) => ({ ...(seen[index] as SeenCard), card, number: index + 1 }))
  recorded.set(order, cards)
  return cards
}

/** `of` is the order that has the other card. */
export const findDuplicates = (orderId: string, cards: readonly CardOfOrder[]): DuplicateCard[] => {
  const before = new Set<string | undefined>()
  return cards.flatMap((card) => {
    const { hashes, otherOrderId } = card
    const isRepeated = before.has(hashes[0])
    before.add(hashes[0])
    const of = otherOrderId ?? (isRepeated ? orderId : undefined)
    return of === undefined ? [] : [{ ...card, of }]
  })
}
