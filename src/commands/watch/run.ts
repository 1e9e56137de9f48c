// orderctl watch: waits until orders are final, and says each change.
import type { Context } from '../../context.ts'
import { orderIds } from '../shared/order-ids.ts'
import type { ShowFlags } from '../shared/output.ts'
import { openSession, type SessionFlags } from '../shared/session.ts'
import { watchOrders } from '../shared/watch-orders.ts'

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
