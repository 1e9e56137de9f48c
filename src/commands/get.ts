// orderctl get: orders as they stand, or what happened to them in words.
import type { Context } from '../context.ts'
import { readOrder } from '../operations/read.ts'
import { explainText } from '../ui/explain.ts'
import { orderText } from '../ui/order.ts'
import { noteReveal } from './note-reveal.ts'
import { orderIds } from './order-ids.ts'
import { openSession, type SessionFlags, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'

export type GetFlags = SessionFlags & ShowFlags & { readonly explain?: boolean }

export const get = async (context: Context, named: readonly string[], flags: GetFlags): Promise<number> => {
  const { show, line } = shower(context, flags)
  const draw = flags.explain === true ? explainText : orderText
  const session = await openSession(context, flags)
  try {
    const ids = await orderIds(context, session, named)
    for (const [index, orderId] of ids.entries()) {
      const { order, serviceTime } = await readOrder(session, orderId)
      if (flags.reveal === true) await noteReveal(context, session, order)
      // One document for one order, one a line for several.
      if (flags.json === true && ids.length > 1 && flags.quiet !== true) line(order)
      else {
        if (index > 0 && flags.json !== true && flags.quiet !== true) context.stdout.write('\n')
        show({ data: order, ids: [order.uid], screen: () => draw(order, viewOf(context, serviceTime())) })
      }
    }
    return 0
  } finally {
    await session.close()
  }
}
