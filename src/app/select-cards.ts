// Selects a card of an order by the number that --card takes.
import { Failure } from '../errors.ts'
import type { OwnedCard } from '../ui/cards/card-fields.ts'

export type NumberedCard = { readonly number: number; readonly card: OwnedCard }

/** Each card with its number in the list, counted from 1. Without a number, all cards. */
export const selectCards = (
  cards: readonly OwnedCard[],
  number: number | undefined,
  orderId: string,
): readonly NumberedCard[] => {
  const numbered = cards.map((card, index) => ({ number: index + 1, card }))
  if (number === undefined) return numbered
  const found = numbered.filter((each) => each.number === number)
  if (found.length > 0) return found
  const advice =
    cards.length === 0
      ? 'The order has no cards.'
      : `Use a number from 1 to ${cards.length}, as redeem lists the cards.`
  throw new Failure('usage', `there is no card ${number}`, { field: '--card', orderId, advice })
}
