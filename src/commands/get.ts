// orderctl get: orders as they stand, or what happened to them in words.
import type { Context } from '../context.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { readOrder } from '../operations/read.ts'
import { explainText } from '../ui/explain.ts'
import { failureFor } from '../ui/failure.ts'
import { orderText } from '../ui/order.ts'
import { noteReveal } from './note-reveal.ts'
import { orderIds } from './order-ids.ts'
import { openSession, type SessionFlags, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'

export type GetFlags = SessionFlags & ShowFlags & { readonly explain?: boolean }

export const get = async (context: Context, named: readonly string[], flags: GetFlags): Promise<number> => {
  const isJson = flags.json === true
  if (flags.explain === true && isJson) {
    throw new Failure('usage', '--explain is in words: it does not go with --json', { field: '--explain' })
  }
  const { stdout, stderr } = context
  const { show, line } = shower(context, flags)
  const draw = flags.explain === true ? explainText : orderText
  const session = await openSession(context, flags)
  try {
    const ids = await orderIds(context, session, named)
    let exit: number = exitCodes.ok.code
    let shown = 0
    for (const id of ids) {
      try {
        const { order, serviceTime } = await readOrder(session, id)
        if (flags.reveal === true) await noteReveal(context, session, order)
        // One document for one order, one a line for several.
        if (isJson && ids.length > 1) line(order)
        else {
          if (shown > 0 && flags.quiet !== true) stdout.write('\n')
          show({ data: order, ids: [order.uid], screen: () => draw(order, viewOf(context, serviceTime())) })
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
