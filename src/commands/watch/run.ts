// The steps of `orderctl watch`: options → account → watched until final.
import type { Context } from '../../context.ts'
import { parseDuration } from '../../contract/duration.ts'
import { stateNames } from '../../contract/states.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readOutputOptions, readSessionOptions } from '../shared/options.ts'
import { resolveOrderIds } from '../shared/order-ids.ts'
import { watchOrders } from '../shared/output/watch-orders.ts'
import { readOrderNames, requireOrder } from '../shared/picking/require-order.ts'
import { openSession } from '../shared/session.ts'
import type { WatchFlags } from './flags.ts'

/** Returns the exit code. */
export const watch = async (
  context: Context,
  orders: readonly string[],
  flags: WatchFlags,
): Promise<number> => {
  const { session: sessionOptions, ...options } = readWatchOptions(flags)
  requireOrder(context, 'watch', orders, { ...options, session: sessionOptions })
  const session = await openSession(context, sessionOptions)
  try {
    const ids = await resolveOrderIds(
      context,
      session,
      (suggest, id) => suggest`watch ${id}`,
      await readOrderNames(context, session, 'watch', orders),
    )
    return await watchOrders(context, session, ids, { ...options, isStream: true, isKnown: false })
  } finally {
    await session.close()
  }
}

const shortestIntervalMs = 100

const readWatchOptions = ({ timeout, ...flags }: WatchFlags) => {
  const reader = createFlagReader('watch')
  const { read, readTimeout, check } = reader
  const parseInterval = (text: string): number | undefined => {
    const ms = parseDuration(text)
    return ms !== undefined && ms >= shortestIntervalMs ? ms : undefined
  }
  const parseState = (text: string) => stateNames.find((name) => name === text)
  const forState = read('--for', flags.for, parseState, stateNames.join(', '))
  const intervalForm = `a duration of at least ${shortestIntervalMs}ms, such as 500ms or 2s`
  const intervalMs = read('--interval', flags.interval, parseInterval, intervalForm)
  // Limits the whole time here, not one call.
  const timeoutMs = readTimeout('--timeout', timeout)
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  check()
  return { session, output, forState, intervalMs, timeoutMs }
}
