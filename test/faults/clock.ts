// One clock for client and service. Waits end at once; a deadline ends when enough time has passed.
import type { Clock } from '../../src/contract/clock.ts'
import { settlingMs } from '../../src/operations/settle.ts'
import { realClock } from '../support/in-process.ts'

/** The deadline of every call. No wait is as long. */
export const deadlineMs = 43_000

export type SteppingClock = Clock & {
  pass(ms: number): Promise<void>
  /** Called at each wait. */
  onWait(hook: () => Promise<void>): void
}

/** The system looks a name up in a thread of its own, which may take longer than all polls until a deadline. */
const isLookingUp = (): boolean => process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')

export const steppingClock = (): SteppingClock => {
  let now = Date.UTC(2026, 2, 1, 12)
  let hook = async (): Promise<void> => {}
  const deadlines = new Set<{ readonly at: number; readonly wake: () => void }>()
  const pass = async (ms: number): Promise<void> => {
    const nearest = Math.min(now + 86_400_000, ...[...deadlines].map(({ at }) => at))
    now = ms === Number.POSITIVE_INFINITY ? nearest : now + ms
    for (const { at, wake } of [...deadlines]) if (at <= now) wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    ...realClock,
    now: () => now,
    monotonic: () => now,
    pass,
    onWait: (given) => {
      hook = given
    },
    sleep: async (ms, signal) => {
      if (signal?.aborted) return
      if (ms !== deadlineMs && ms !== settlingMs) {
        await hook()
        while (isLookingUp()) await new Promise((resolve) => setImmediate(resolve))
        return await pass(ms)
      }
      await new Promise<void>((resolve) => {
        const deadline = {
          at: now + ms,
          wake: () => {
            deadlines.delete(deadline)
            resolve()
          },
        }
        deadlines.add(deadline)
        signal?.addEventListener('abort', deadline.wake, { once: true })
      })
    },
  }
}
