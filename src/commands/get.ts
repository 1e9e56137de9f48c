// orderctl get: orders as they stand, or what happened to them in words.
import type { Context } from '../context.ts'
import { readOrder } from '../operations/read.ts'
import { explainText } from '../ui/explain.ts'
import { orderText } from '../ui/order.ts'
import { openSession, type SessionFlags, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'

export type GetFlags = SessionFlags & ShowFlags & { readonly explain?: boolean }

export const get = async (
  context: Context,
  orderIds: readonly string[],
  flags: GetFlags,
): Promise<number> => {
  const { show, line } = shower(context, flags)
  const draw = flags.explain === true ? explainText : orderText
  const session = await openSession(context, flags)
  try {
    for (const [index, orderId] of orderIds.entries()) {
      const { order, now } = await readOrder(session, orderId)
      // One document for one order, one a line for several.
      if (flags.json === true && orderIds.length > 1 && flags.quiet !== true) line(order)
      else {
        if (index > 0 && flags.json !== true && flags.quiet !== true) context.stdout.write('\n')
        show({ data: order, id: order.uid, screen: () => draw(order, viewOf(context, now)) })
      }
    }
    return 0
  } finally {
    await session.close()
  }
}
