// The screens of an order: as it stands, with its cards, or what happened to it in words. Loaded where one is drawn.
import type { Context } from '../../context.ts'
import { cardsIn, shortfallsOf } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { isFinal } from '../../contract/states.ts'
import { cardsText, shortfallsText } from '../../ui/cards/cards.ts'
import { explainText } from '../../ui/screens/explain.ts'
import { orderSummaryText, orderText } from '../../ui/screens/order.ts'
import type { View } from '../../ui/terminal/view.ts'
import { viewOf } from './view-of.ts'

/** The cards below the order: left out, masked, or as they are. */
export type CardsShown = 'none' | 'masked' | 'revealed'

export const orderScreen = (context: Context, order: Order, cards: CardsShown, now: number): string =>
  drawn(order, cards, viewOf(context, now))

export const drawn = (order: Order, cards: CardsShown, view: View): string => {
  const text = orderText(order, view)
  if (cards === 'none') return text
  const below = cardsText(cardsIn(order.redeem), cards === 'revealed', view)
  const missing = isFinal(order.state) ? shortfallsText(shortfallsOf(order), view.theme) : ''
  return [text, below, missing].filter((part) => part !== '').join('\n')
}

export const explainScreen = (context: Context, order: Order, now: number): string =>
  explainText(order, viewOf(context, now))

/** Before it is confirmed; on stderr, for stdout is the result. */
export const summaryScreen = (context: Context, order: Order, now: number): string =>
  orderSummaryText(order, viewOf(context, now, context.stderr))
