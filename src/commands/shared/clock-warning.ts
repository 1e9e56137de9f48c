// Says where this machine's clock and the service's are far apart.
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'

const tolerableMs = 30_000

/** By the first answer alone: expiry is judged by the service's clock, but times are shown by this one. */
export const clockWarning = ({ clock, stderr }: Context) => {
  let isFirst = true
  return (serverTime: number): void => {
    const ahead = clock.now() - serverTime
    const hasSpoken = !isFirst
    isFirst = false
    if (hasSpoken || Math.abs(ahead) <= tolerableMs) return
    const where = ahead > 0 ? 'ahead of' : 'behind'
    stderr.write(
      `warning: this machine's clock is ${formatDuration(ahead)} ${where} the service's; expiry is judged by the service's\n`,
    )
  }
}
