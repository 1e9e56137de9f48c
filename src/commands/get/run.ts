// The steps of `orderctl get`: options → account → each order → shown or explained.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { readOrder } from '../../operations/read.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readOutputOptions, readSessionOptions } from '../shared/options.ts'
import { resolveOrderIds } from '../shared/order-ids.ts'
import { outputFor, type Result } from '../shared/output/output.ts'
import { codesOf } from '../shared/output/reveal.ts'
import { readOrderNames, requireOrder } from '../shared/picking/require-order.ts'
import { openSession } from '../shared/session.ts'
import type { GetFlags } from './flags.ts'

/** Returns the exit code. */
export const get = async (context: Context, orders: readonly string[], flags: GetFlags): Promise<number> => {
  const options = readGetOptions(flags)
  requireOrder(context, 'get', orders, options)
  const { stdout, stderr } = context
  const { format } = options.output
  const session = await openSession(context, options.session)
  try {
    const { print, printLine } = outputFor(context, options.output, { session })
    const ids = await resolveOrderIds(context, session, await readOrderNames(context, session, 'get', orders))
    let exit: number = exitCodes.ok.code
    let printed = 0
    const readResult = async (id: string): Promise<Result> => {
      const { order } = await readOrder(session, id)
      const screen = async (isRevealed: boolean): Promise<string> => {
        const { explainScreen, orderScreen } = await import('../shared/output/order-screen.ts')
        if (options.isExplained) return explainScreen(context, order, session.serviceNow())
        return orderScreen(context, order, isRevealed ? 'revealed' : 'none', session.serviceNow())
      }
      const result = { data: () => order, ids: [order.uid], screen }
      return options.isExplained ? result : { ...result, codes: codesOf(order) }
    }
    for (const id of ids) {
      try {
        const result = await readResult(id)
        // One JSON document for one order; one per line for several.
        if (format === 'json' && ids.length > 1) await printLine(result)
        else {
          if (printed > 0 && format === 'screen') stdout.write('\n')
          await print(result)
        }
        printed += 1
      } catch (error) {
        // If one order is not found, the others are still shown.
        if (ids.length === 1 || !(error instanceof Failure) || error.kind !== 'refused') throw error
        const { renderFailure } = await import('../../ui/screens/failure.ts')
        stderr.write(renderFailure(error, stderr, format === 'json'))
        exit = exitCodes.refused.code
      }
    }
    return exit
  } finally {
    await session.close()
  }
}

const readGetOptions = (flags: GetFlags) => {
  const reader = createFlagReader('get')
  if (flags.explain === true && flags.json === true) {
    reader.addProblem('--explain prints text, so it cannot be used with --json', '--explain')
  }
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  reader.check()
  return { session, output, isExplained: flags.explain === true }
}
