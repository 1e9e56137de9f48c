// Keeps a create without a reference from repeating an order whose confirm may have spent.
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import type { Spending } from '../../operations/deps.ts'
import { interruption } from '../../operations/read.ts'
import { findUnprovenTwin, twinFailure } from '../../operations/resume.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { canAsk, type SessionFlags } from '../shared/session.ts'

type Work = {
  readonly deps: Spending
  readonly request: OrderRequest
  readonly flags: SessionFlags & { readonly input: boolean }
}

/** Asks on a terminal; throws in a script. */
export const refuseTwin = async (context: Context, { deps, request, flags }: Work): Promise<void> => {
  const twin = findUnprovenTwin(deps, request)
  if (twin === undefined) return
  if (flags.json === true || flags.quiet === true || !canAsk(context, flags)) throw twinFailure(twin)
  const id = safeText(twin.orderId ?? '')
  context.stderr.write(`The order ${id} has the same products, and its confirm may have spent.\n`)
  if (await context.confirm('Order the same again?')) return
  throw interruption(context.interrupted, 'nothing was sent', {
    fix: `orderctl reconcile ${id}`,
  })
}
