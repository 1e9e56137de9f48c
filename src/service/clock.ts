// The service's clock: the injected clock plus an offset that /_mock/clock increases.
import type { Clock } from '../contract/clock.ts'

/** The injected clock may go back, but this one does so only when a reset clears the offset. */
export const createServiceClock = (clock: Clock, offset: () => number): Clock => {
  let latest = 0
  return {
    ...clock,
    now: () => {
      latest = Math.max(latest, clock.now())
      return latest + offset()
    },
  }
}
