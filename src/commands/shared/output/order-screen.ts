// The screens of one order. Loaded only when one is drawn.
import type { Context } from '../../../context.ts'
import { findCards, findShortfalls } from '../../../contract/redeem-cards.ts'
import type { Order } from '../../../contract/schemas.ts'
import { isFinal } from '../../../contract/states.ts'
import { renderCards, renderShortfalls } from '../../../ui/cards/cards.ts'
import { renderOrder, renderOrderSummary } from '../../../ui/screens/order.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { viewOf } from './view-of.ts'

export type CardsShown = 'none' | 'masked' | 'revealed'

export const orderScreen = (context: Context, order: Order, cards: CardsShown, now: number): string =>
  renderOrderWithCards(order, cards, viewOf(context, now))

export const renderOrderWithCards = (order: Order, cards: CardsShown, view: View): string => {
  const text = renderOrder(order, view)
  if (cards === 'none') return text
  const below = renderCards(findCards(order.redeem), cards === 'revealed', view)
  const missing = isFinal(order.state) ? renderShortfalls(findShortfalls(order), view.theme) : ''
  return [text, below, missing].filter((part) => part !== '').join('\n')
}

/** Shown on stderr before a confirm, because stdout is the result. */
export const summaryScreen = (context: Context, order: Order, now: number): string =>
  renderOrderSummary(order, viewOf(context, now, context.stderr))
