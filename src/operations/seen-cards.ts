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

type Identity = readonly (string | null)[]

/** Without the SKU, because a service may list one code for two products. */
const identifyCard = ({ code, pin, serial, link = '' }: Card): Identity | undefined => {
  if ((code ?? pin ?? serial) !== undefined) return [code ?? null, pin ?? null, serial ?? null]
  // A link may change with each response, so it counts only if the card has nothing else.
  return isSiteAlone(link) ? undefined : [link]
}

/** Such as `https://shop.example/`: all cards may have it. */
const isSiteAlone = (link: string): boolean => {
  const url = URL.parse(link)
  return url !== null && url.pathname.length <= 1 && url.search === '' && url.hash === ''
}

const hashIdentity =
  (identity: Identity): HashCard =>
  (key) =>
    builtin.crypto().createHmac('sha256', key).update(JSON.stringify(identity)).digest('base64url')

/** So that the journal can recognize the cards of an order without their codes. */
export const createCardHashes = (orderId: string, cards: readonly Card[]): HashCard[] => {
  let unidentified = 0
  return cards.map((card) => {
    const identity = identifyCard(card)
    if (identity !== undefined) return hashIdentity(identity)
    // No other card is equal to it.
    unidentified += 1
    return hashIdentity([orderId, String(unidentified)])
  })
}

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
  const seen = await recordCards(journal, {
    account,
    orderId: order.uid,
    cards: createCardHashes(order.uid, all),
  })
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
