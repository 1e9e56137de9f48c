// Distinguishes the cards of an order, records them, and finds duplicates: cards with the code of a different card.

import { builtin } from '../builtin.ts'
import { type Card, findCards } from '../contract/order/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import type { Journal } from '../journal/journal.ts'
import type { Owner } from '../journal/orders/entries.ts'
import { type HashCard, numberCards, recordCards, type SeenCard } from '../journal/orders/seen-cards.ts'

export type CardOfOrder = SeenCard & {
  readonly card: Card
  /** The card's number in the order, as `--card` takes it. */
  readonly number: number
}

/** A different card has its code: in a different order, or earlier in the same order. */
export type DuplicateCard = CardOfOrder & { readonly of: string }

/**
 * Folds texts that differ only in letter case, white space, dashes, invisible characters or the spelling of a letter.
 * Two random codes that differ only in this way are practically impossible. Links are often copied without their
 * scheme.
 */
export const foldCode = (text = ''): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\s\p{Dash}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, '')
    .toLowerCase()
    .replace(/^https?:\/\//, '')

/** Several cards may have the same short value by chance. */
export const isShort = (folded: string): boolean => folded.length < 8

/**
 * Two cards with the same text are one: the code, else a long PIN, else the card's other fields. Empty if nothing
 * identifies the card. Without the SKU and the names of the fields, because a service may list one code for two
 * products, or in two fields.
 */
const identifyCard = ({ code, pin, serial, link = '' }: Card): string => {
  const [foldedCode, foldedPin] = [foldCode(code), foldCode(pin)]
  if (foldedCode !== '') return foldedCode
  if (foldedPin !== '' && !isShort(foldedPin)) return foldedPin
  // Cards with their own PINs may share a link, and cards with their own links may share a PIN or serial number.
  const rest = [isSiteAlone(link) ? '' : foldCode(link), foldedPin, foldCode(serial)]
  return rest.filter((text) => text !== '').join(' ')
}

/** Such as `https://shop.example/`, which all cards may share. */
const isSiteAlone = (link: string): boolean => {
  const url = URL.parse(link)
  return url !== null && url.pathname.length <= 1 && url.search === '' && url.hash === ''
}

/** So that the journal can recognize the cards of an order without their codes. */
export const createCardHashes = (orderId: string, cards: readonly Card[]): HashCard[] => {
  let unidentified = 0
  return cards.map((card) => {
    const identity = identifyCard(card)
    if (identity === '') unidentified += 1
    // The text of a card that nothing identifies contains a line break, so it differs from every identity.
    const text = identity === '' ? `${orderId}\n${unidentified}` : identity
    return (key) => builtin.crypto().createHmac('sha256', key).update(text).digest('base64url')
  })
}

/** For a response that the journal could not record. Only its own cards can be compared. */
export const listUnrecorded = ({ uid, redeem }: Pick<Order, 'uid' | 'redeem'>): CardOfOrder[] => {
  const all = findCards(redeem)
  const hashes = createCardHashes(uid, all).map((hash) => [hash('')])
  return all.map((card, index) => ({ hashes: hashes[index] ?? [], card, number: index + 1 }))
}

/** Once it resolves, the journal knows the order's cards. By their numbers. `areNew`: they are probably new to it. */
export const recordCardsOf = async (
  { journal, owner }: { readonly journal: Journal; readonly owner: Owner },
  { uid: orderId, redeem }: Pick<Order, 'uid' | 'redeem'>,
  { areNew = false } = {},
): Promise<readonly CardOfOrder[]> => {
  const all = findCards(redeem)
  if (all.length === 0) return []
  const cards = createCardHashes(orderId, all)
  const seen = await recordCards(journal, { account: owner.account, orderId, cards, areNew })
  const numbers = numberCards(seen)
  return all
    .map((card, index) => ({ ...(seen[index] as SeenCard), card, number: numbers[index] ?? 0 }))
    .toSorted((one, other) => one.number - other.number)
}

/** `of` is the order with the other card. */
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

/** The cards of the orders that a command has read, by order id. */
export type SeenCards = {
  readonly duplicates: Map<string, readonly DuplicateCard[]>
  /** Orders whose cards are not in the journal, because there is none yet or it cannot be used. */
  readonly unrecorded: Map<string, Order>
}
