// An order as it stands, its cards below, masked unless they are to be revealed.
import type { Context } from '../context.ts'
import { cardsIn, shortfallsOf } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { isFinal } from '../contract/states.ts'
import { exitCodes } from '../exit-codes.ts'
import { cardsText, shortfallsText } from '../ui/cards.ts'
import { orderText } from '../ui/order.ts'
import { noteReveal } from './note-reveal.ts'
import { type Session, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'

export const orderScreen = (context: Context, order: Order, reveal: boolean): string => {
  const view = viewOf(context)
  const cards = cardsText(cardsIn(order.redeem), reveal, view)
  const missing = isFinal(order.state) ? shortfallsText(shortfallsOf(order), view.theme) : ''
  return `${orderText(order, view)}${cards === '' ? '' : `\n${cards}`}${missing}`
}

/** Shows it; the exit code that its state stands for. */
export const showOrder = async (
  context: Context,
  session: Session,
  order: Order,
  flags: ShowFlags,
): Promise<number> => {
  if (flags.reveal === true) await noteReveal(context, session, order)
  // It is shown at the end of what spends.
  const { show } = shower(context, flags, { hasSpent: true })
  show({ data: order, ids: [order.uid], screen: () => orderScreen(context, order, flags.reveal === true) })
  return exitCodeOf(order.state)
}

export const exitCodeOf = (state: string): number => {
  if (state === 'failed' || state === 'rejected') return exitCodes.failed.code
  return state === 'partial' ? exitCodes.partial.code : exitCodes.ok.code
}
