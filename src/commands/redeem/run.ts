// orderctl redeem: the cards of an order: shown, masked unless they are to be revealed, or handed on.
import type { Context } from '../../context.ts'
import { cardsIn, shortfallsOf } from '../../contract/redeem-cards.ts'
import { exitCodes } from '../../exit-codes.ts'
import { readOrder } from '../../operations/read.ts'
import { shortfallsText } from '../../ui/cards/cards.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { noteReveal } from '../shared/note-reveal.ts'
import { orderIds } from '../shared/order-ids.ts'
import { shower } from '../shared/output.ts'
import { openSession } from '../shared/session.ts'
import { viewOf } from '../shared/view-of.ts'
import { narrowed, noCards } from './cards-of-order.ts'
import { exportTo } from './export.ts'
import { type Deliver, type RedeemFlags, readRedeemFlags, type Wanted } from './options.ts'

export const redeem = async (context: Context, named: string, flags: RedeemFlags): Promise<number> => {
  const wanted = readRedeemFlags(flags)
  const { show, reveals } = shower(context, flags)
  const { deliver, end } = await wayOf(context, wanted)
  try {
    const session = await openSession(context, flags)
    try {
      const [orderId = ''] = await orderIds(context, session, [named])
      const { order: whole, serviceTime } = await readOrder(session, orderId)
      const order = narrowed(whole, flags.sku)
      const cards = cardsIn(order.redeem)
      if (cards.length === 0) throw await noCards(order)
      await deliver(context, {
        wanted,
        order,
        whole,
        cards,
        view: viewOf(context, serviceTime()),
        show,
        reveals,
        note: (how, redeem = order.redeem) => noteReveal(context, session, { uid: order.uid, redeem }, how),
      })
      const missing = shortfallsOf(order)
      context.stderr.write(shortfallsText(missing, themeFor(context.stderr)))
      return missing.length > 0 ? exitCodes.partial.code : exitCodes.ok.code
    } finally {
      await session.close()
    }
  } finally {
    await end?.()
  }
}

/** What can be known to fail does so here, before anything is asked for; its end comes after all calls. */
const wayOf = async (
  context: Context,
  wanted: Wanted,
): Promise<{ readonly deliver: Deliver; readonly end?: () => void | Promise<void> }> => {
  if (wanted.file !== undefined) return exportTo(context, wanted.file)
  if (wanted.copy) return (await import('./copy.ts')).copyTo(context)
  if (wanted.qr) return { deliver: (await import('./qr.ts')).drawCards }
  return { deliver: (await import('./text.ts')).printCards }
}
