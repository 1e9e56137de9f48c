// The steps of `orderctl get`: options → account → each order → shown.

import { findOrders, requireOrder } from '../../app/find-orders.ts'
import { openSession } from '../../app/open-session.ts'
import { formatOf, outputFor, warnOfOrder } from '../../app/output/output.ts'
import { createOrderResult, printSuggestion } from '../../app/output/show-order.ts'
import type { Context } from '../../context.ts'
import { exitCodes, Failure } from '../../errors.ts'
import { readOrder } from '../../operations/read.ts'
import type { GetOptions } from './spec.ts'

/** Returns the exit code. */
export const get = async (context: Context, options: GetOptions): Promise<number> => {
  requireOrder(context, 'get', options.orders.length > 0, options)
  const { stdout, stderr } = context
  const isScreen = formatOf(options) === 'screen'
  await using session = await openSession(context, options)
  const { print } = outputFor(context, options, { session })
  const named = await findOrders(session, 'get', options.orders)
  const isOne = named.length === 1
  let exit: number = exitCodes.ok.code
  let isFirst = true
  for (const order of named) {
    try {
      const seen = await readOrder(session, order)
      // The screen shows cards only with --reveal.
      const result = createOrderResult(session, seen, { cards: 'none' })
      if (!isFirst && isScreen) stdout.write('\n')
      // One JSON document for one order; one per line for several.
      await print({ ...result, warn: () => warnOfOrder(session, seen) }, !isOne)
      if (isOne) await printSuggestion(session, seen, options, { isRead: true })
      isFirst = false
    } catch (error) {
      // If one order is not found, the others are still shown.
      if (isOne || !(error instanceof Failure) || error.kind !== 'refused') throw error
      const { renderFailure } = await import('../../ui/screens/failure.ts')
      stderr.write(renderFailure(error, context, options.json))
      exit = exitCodes.refused.code
    }
  }
  return exit
}
