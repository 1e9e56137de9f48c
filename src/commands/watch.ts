// orderctl watch: waits until orders are final, and says each change.
import type { Context } from '../context.ts'
import { orderIds } from './order-ids.ts'
import { openSession, type SessionFlags } from './session.ts'
import type { ShowFlags } from './show.ts'
import { watchOrders } from './watch-orders.ts'

export type WatchCommandFlags = SessionFlags &
  ShowFlags & { readonly for?: string; readonly interval?: string }

export const watch = async (
  context: Context,
  named: readonly string[],
  { timeout, ...flags }: WatchCommandFlags,
): Promise<number> => {
  // Here --timeout is the whole time, not that of one call.
  const session = await openSession(context, flags)
  try {
    const whole = timeout === undefined ? {} : { watchTimeout: timeout }
    const ids = await orderIds(context, session, named)
    return await watchOrders(context, session, ids, { ...flags, ...whole, stream: true })
  } finally {
    await session.close()
  }
}
