// A clock that moves only when a test advances it.
import type { Clock } from '../../src/contract/time.ts'
import { turnEventLoop } from './wait-until.ts'

export const startTime = 1_700_000_000_000

export const createManualClock = (start = startTime) => {
  let now = start
  let ahead = 0
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  const advance = (ms: number) => {
    now += ms
    for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake()
  }
  const clock: Clock = {
    now: () => now + ahead,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted) return resolve()
        const wake = () => {
          sleepers.delete(sleeper)
          resolve()
        }
        const sleeper = { until: now + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake, { once: true })
      }),
    newId: () => crypto.randomUUID(),
  }
  /** Advances the wall clock only, as `serve-mock` does on request. Sleepers stay asleep. */
  const putAhead = (ms: number) => {
    ahead += ms
  }
  /** Advances from alarm to alarm. What an alarm wakes has run before the next one. */
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms
    while (now < end) {
      await turnEventLoop()
      advance(Math.min(end, ...[...sleepers].map(({ until }) => until)) - now)
    }
    await turnEventLoop()
  }
  return { ...clock, advance, pass, putAhead, sleepers }
}
