// An order as it stands, its cards below, masked unless they are to be revealed.
import type { Context } from '../../context.ts'
import { cardsIn } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { exitCodes } from '../../exit-codes.ts'
import { shellWord } from '../../text/shell-word.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { arrived } from './ensure-delivered.ts'
import { noteReveal } from './note-reveal.ts'
import { type ShowFlags, type Shown, shower } from './output.ts'
import type { Session } from './session.ts'

/** What show is told of an order with its cards. */
export const shownOrder = (
  context: Context,
  session: Session,
  order: Order,
  { reveal }: ShowFlags,
): Shown => ({
  data: () => order,
  ids: [order.uid],
  screen: async () => {
    const { orderScreen } = await import('./order-screen.ts')
    return orderScreen(context, order, reveal === true ? 'revealed' : 'masked', session.serviceNow())
  },
})

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
  await show(shownOrder(context, session, order, flags))
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
