// The service's clock: the injected clock plus an offset that /_mock/clock increases.
import type { Clock } from '../contract/clock.ts'

/** If the injected clock goes back, this clock stops instead. Only a reset of the offset sets it back. */
export const createServiceClock = (clock: Clock, readOffset: () => number): Clock => {
  let latest = 0
  return {
    ...clock,
    now: () => {
      latest = Math.max(latest, clock.now())
      return latest + readOffset()
    },
  }
}
