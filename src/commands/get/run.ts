// orderctl get: orders as they stand, or what happened to them in words.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { readOrder } from '../../operations/read.ts'
import { noteReveal } from '../shared/note-reveal.ts'
import { orderIds } from '../shared/order-ids.ts'
import { type ShowFlags, shower } from '../shared/output.ts'
import { openSession, type SessionFlags } from '../shared/session.ts'

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
          const screen = async () => {
            const { explainScreen, orderScreen } = await import('../shared/order-screen.ts')
            if (flags.explain === true) return explainScreen(context, order, serviceTime())
            return orderScreen(context, order, flags.reveal === true ? 'revealed' : 'none', serviceTime())
          }
          await show({ data: () => order, ids: [order.uid], screen })
        }
        shown += 1
      } catch (error) {
        // Of several, one that is not there does not hide the others.
        if (ids.length === 1 || !(error instanceof Failure) || error.kind !== 'refused') throw error
        const { failureFor } = await import('../../ui/screens/failure.ts')
        stderr.write(failureFor(error, stderr, isJson))
        exit = exitCodes.refused.code
      }
    }
    return exit
  } finally {
    await session.close()
  }
}
