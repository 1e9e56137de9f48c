// The work that needs no request: settling orders that are due, and sending webhooks.
import { type Clock, createAlarm, repeat } from '../contract/clock.ts'

// Without this pause, a busy service would run a transaction each millisecond, each for a few orders.
const minSleepMs = 10
// Another process can add orders to the same state file without notice.
const maxSleepMs = 10_000

export const createBackground = (
  clock: Clock,
  findNextOutcome: () => number | undefined,
  settleDue: () => number,
  webhooks: { run(signal: AbortSignal): Promise<void>; wake(): void },
) => {
  const alarm = createAlarm(clock)
  let maySettleAt = Number.NEGATIVE_INFINITY
  let wakesAt = Number.NEGATIVE_INFINITY

  const settleUntilAborted = (signal: AbortSignal): Promise<void> =>
    repeat(alarm, signal, () => {
      settleDue()
      const now = clock.now()
      maySettleAt = now + minSleepMs
      const next = findNextOutcome() ?? Number.POSITIVE_INFINITY
      wakesAt = Math.max(maySettleAt, Math.min(next, now + maxSleepMs))
      return wakesAt - now
    })

  return {
    /** Runs until aborted, and then finishes what has started. If one task fails, the other stops too. */
    run: async (signal: AbortSignal): Promise<void> => {
      const stop = new AbortController()
      const stopped = AbortSignal.any([signal, stop.signal])
      const tasks = [settleUntilAborted(stopped), webhooks.run(stopped)]
      try {
        await Promise.all(tasks)
      } finally {
        stop.abort()
        await Promise.allSettled(tasks)
      }
    },
    /** Checks for due orders earlier if this outcome is due before the next check. */
    scheduleOutcome: (time: number): void => {
      if (Math.max(time, maySettleAt) < wakesAt) alarm.ring()
    },
    wake: (): void => {
      alarm.ring()
      webhooks.wake()
    },
  }
}
