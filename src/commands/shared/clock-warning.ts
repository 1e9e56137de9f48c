// Warns if this machine's clock differs much from the service's.
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'

export const clockToleranceMs = 30_000

/** "this machine's clock is 2 min ahead of the service's" */
export const describeAhead = (aheadMs: number, other: string): string =>
  `this machine's clock is ${formatDuration(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`

/** The warnings of each command: it may open several sessions, but warns once. */
const warnedIn = new WeakMap<Context, Set<string>>()

/** Checks only the first response. Expiry uses the service's clock, but displayed times use this machine's clock. */
export const createClockWarning = (context: Context) => {
  let isFirst = true
  return (serverTime: number): void => {
    const ahead = context.clock.now() - serverTime
    const wasChecked = !isFirst
    isFirst = false
    if (wasChecked || Math.abs(ahead) <= clockToleranceMs) return
    const text = `${describeAhead(ahead, "the service's")}; orderctl uses the service's clock for expiry`
    const warned = warnedIn.get(context) ?? new Set()
    warnedIn.set(context, warned)
    if (!warned.has(text)) context.stderr.warn(text)
    warned.add(text)
  }
}
