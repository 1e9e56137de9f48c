// Warns if this machine's clock differs much from the service's.
import type { Context } from '../context.ts'
import { formatDuration } from '../contract/duration.ts'
import { warnOnce } from './notes.ts'

export const clockToleranceMs = 30_000

/** "this machine's clock is 2 min ahead of the service's" */
export const describeAhead = (aheadMs: number, other: string): string =>
  `this machine's clock is ${formatDuration(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`

/** Checks only the first response. Expiry uses the service's clock, but displayed times use this machine's clock. */
export const createClockWarning = (context: Context) => {
  let wasChecked = false
  return (serverTime: number): void => {
    if (wasChecked) return
    wasChecked = true
    const ahead = context.clock.now() - serverTime
    if (Math.abs(ahead) <= clockToleranceMs) return
    warnOnce(
      context,
      `${describeAhead(ahead, "the service's")}; orderctl uses the service's clock for expiry`,
    )
  }
}
