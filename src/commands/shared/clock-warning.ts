// Warns if this machine's clock differs much from the service's.
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'

const toleranceMs = 30_000

/** Checks only the first answer. Expiry uses the service's clock, but displayed times use this machine's clock. */
export const clockWarning = ({ clock, stderr }: Context) => {
  let isFirst = true
  return (serverTime: number): void => {
    const ahead = clock.now() - serverTime
    const wasChecked = !isFirst
    isFirst = false
    if (wasChecked || Math.abs(ahead) <= toleranceMs) return
    const direction = ahead > 0 ? 'ahead of' : 'behind'
    stderr.write(
      `warning: this machine's clock is ${formatDuration(ahead)} ${direction} the service's; orderctl uses the service's clock for expiry\n`,
    )
  }
}
