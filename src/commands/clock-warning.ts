// Says where this machine's clock and the service's are far apart.
import type { Context } from '../context.ts'
import { lengthText } from '../contract/duration.ts'

const tolerableMs = 30_000

/** Once: expiry is judged by the service's clock, but times are shown by this one. */
export const clockWarning = ({ clock, stderr }: Context) => {
  let hasWarned = false
  return (serverTime: number): void => {
    const ahead = clock.now() - serverTime
    if (hasWarned || Math.abs(ahead) <= tolerableMs) return
    hasWarned = true
    const where = ahead > 0 ? 'ahead of' : 'behind'
    stderr.write(
      `warning: this machine's clock is ${lengthText(ahead)} ${where} the service's; expiry is judged by the service's\n`,
    )
  }
}
