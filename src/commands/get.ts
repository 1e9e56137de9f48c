// orderctl get: orders as they stand, or what happened to them in words.
import type { Context } from '../context.ts'
import type { Order } from '../contract/schemas.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { readOrder } from '../operations/read.ts'
import { explainText } from '../ui/explain.ts'
import { failureFor } from '../ui/failure.ts'
import { orderText } from '../ui/order.ts'
import type { View } from '../ui/view.ts'
import { noteReveal } from './note-reveal.ts'
import { orderIds } from './order-ids.ts'
import { openSession, type SessionFlags } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { orderScreen } from './show-order.ts'
import { viewOf } from './view-of.ts'

export type GetFlags = SessionFlags & ShowFlags & { readonly explain?: boolean }

export const get = async (context: Context, named: readonly string[], flags: GetFlags): Promise<number> => {
  const isJson = flags.json === true
  if (flags.explain === true && isJson) {
    throw new Failure('usage', '--explain is in words: it does not go with --json', { field: '--explain' })
  }
  const { stdout, stderr } = context
  const { show, line, reveals } = shower(context, flags)
  const session = await openSession(context, flags)
  try {
    const ids = await orderIds(context, session, named)
    let exit: number = exitCodes.ok.code
    let shown = 0
    for (const id of ids) {
      try {
        const { order, serviceTime } = await readOrder(session, id)
        if (reveals && flags.explain !== true) await noteReveal(context, session, order)
        // One document for one order, one a line for several.
        if (isJson && ids.length > 1) line(order)
        else {
          if (shown > 0 && flags.quiet !== true) stdout.write('\n')
          show({
            data: () => order,
            ids: [order.uid],
            screen: () => screenOf(order, flags, viewOf(context, serviceTime())),
          })
        }
        shown += 1
      } catch (error) {
        // Of several, one that is not there does not hide the others.
        if (ids.length === 1 || !(error instanceof Failure) || error.kind !== 'refused') throw error
        stderr.write(failureFor(error, stderr, isJson))
        exit = exitCodes.refused.code
      }
    }
    return exit
  } finally {
    await session.close()
  }
}

const screenOf = (order: Order, { explain, reveal }: GetFlags, view: View): string => {
  if (explain === true) return explainText(order, view)
  return reveal === true ? orderScreen(order, true, view) : orderText(order, view)
}
