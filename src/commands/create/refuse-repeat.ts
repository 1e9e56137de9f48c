// Refuses a create without a reference if it repeats an order whose confirm may have spent.
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import type { Spending } from '../../operations/deps.ts'
import { interruption } from '../../operations/read.ts'
import { createTwinFailure, findUnprovenTwin } from '../../operations/resume.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { mayAsk } from './draft.ts'
import type { CreateOptions } from './spec.ts'

/** Asks on a terminal. Throws in a script. */
export const refuseRepeat = async (
  context: Context,
  deps: Spending,
  request: OrderRequest,
  options: CreateOptions,
): Promise<void> => {
  const twin = await findUnprovenTwin(deps, request)
  if (twin === undefined) return
  if (!mayAsk(context, options)) throw createTwinFailure(twin)
  const { orderId = '' } = twin
  context.stderr.write(
    `The order ${sanitize(orderId)} has the same products, and its confirm may have spent.\n`,
  )
  if (await context.confirm('Order the same products again?')) return
  throw interruption(context.interrupted, 'nothing was sent', {
    fix: (suggest) => suggest`reconcile ${orderId}`,
  })
}
