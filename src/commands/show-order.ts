// An order as it stands, its cards below, masked unless they are to be revealed.
import type { Context } from '../context.ts'
import { cardsIn, shortfallsOf } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { shellWord } from '../contract/shell-word.ts'
import { isFinal } from '../contract/states.ts'
import { exitCodes } from '../exit-codes.ts'
import { cardsText, shortfallsText } from '../ui/cards.ts'
import { orderText } from '../ui/order.ts'
import { safeText } from '../ui/safe-text.ts'
import type { View } from '../ui/view.ts'
import { arrived } from './arrived.ts'
import { noteReveal } from './note-reveal.ts'
import type { Session } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { viewOf } from './view-of.ts'

export const orderScreen = (order: Order, reveal: boolean, view: View): string => {
  const cards = cardsText(cardsIn(order.redeem), reveal, view)
  const missing = isFinal(order.state) ? shortfallsText(shortfallsOf(order), view.theme) : ''
  return `${orderText(order, view)}${cards === '' ? '' : `\n${cards}`}${missing === '' ? '' : `\n${missing}`}`
}

/** Shows it; the exit code that its state stands for. */
export const showOrder = async (
  context: Context,
  session: Session,
  order: Order,
  flags: ShowFlags,
): Promise<number> => {
  // It is shown at the end of what spends.
  const { show, reveals } = shower(context, flags, { hasSpent: true })
  if (reveals) await noteReveal(context, session, order)
  show({
    data: () => order,
    ids: [order.uid],
    screen: () => orderScreen(order, flags.reveal === true, viewOf(context, session.serviceNow())),
  })
  await arrived(context, `the order ${order.uid} is ${order.state}`, order.uid)
  sayNext(context, order, flags)
  return exitCodeOf(order.state)
}

/** What to type next, for people. */
export const sayNext = (
  { stderr }: Context,
  { uid, state, redeem }: Order,
  { json, quiet, reveal }: ShowFlags,
): void => {
  if (json === true || quiet === true) return
  const id = shellWord(safeText(uid))
  if (exitCodeOf(state) !== 0) stderr.write(`what happened: orderctl get ${id} --explain\n`)
  if (reveal !== true && cardsIn(redeem).length > 0)
    stderr.write(`masked; the codes: orderctl redeem ${id} --reveal\n`)
}

export const exitCodeOf = (state: string): number => {
  if (state === 'failed' || state === 'rejected') return exitCodes.failed.code
  return state === 'partial' ? exitCodes.partial.code : exitCodes.ok.code
}
