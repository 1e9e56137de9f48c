// The steps of `orderctl watch`: account → orders → watched until final.

import { findOrders, requireOrder } from '../../app/find-orders.ts'
import { openSession } from '../../app/open-session.ts'
import { watchOrders } from '../../app/output/watch-orders.ts'
import type { Context } from '../../context.ts'
import type { WatchOptions } from './spec.ts'

/** Returns the exit code. */
export const watch = async (context: Context, options: WatchOptions): Promise<number> => {
  requireOrder(context, 'watch', options.orders.length > 0, options)
  await using session = await openSession(context, options)
  const orders = await findOrders(session, 'watch', options.orders)
  return await watchOrders(session, orders, {
    output: options,
    forState: options.for,
    intervalMs: options.interval,
    timeoutMs: options.wait,
    isStream: true,
    isKnown: false,
  })
}
