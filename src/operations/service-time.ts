// The service's time, taken from its responses, because this machine's clock may be wrong or be corrected.
import type { Clock } from '../contract/clock.ts'

export type ServiceClock = {
  /** Whole milliseconds. This machine's time until a response has told another. */
  readonly now: () => number
  readonly set: (serverTime: number) => void
}

export const createServiceClock = (clock: Pick<Clock, 'now' | 'monotonic'>): ServiceClock => {
  const startAt = (time: number) => ({ time, wall: clock.now(), monotonic: clock.monotonic() })
  let start = startAt(clock.now())
  return {
    // The monotonic clock may stop while a laptop sleeps, and the wall clock may be set back. The later time is safe.
    now: () =>
      Math.round(start.time + Math.max(clock.now() - start.wall, clock.monotonic() - start.monotonic)),
    set: (serverTime) => {
      start = startAt(serverTime)
    },
  }
}
