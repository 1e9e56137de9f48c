// The service's own time: the injected clock, put forward by hand, and back by a reset alone.
import type { Clock } from '../contract/clock.ts'

export const serviceClock = (clock: Clock, offset: () => number): Clock => {
  let latest = 0
  return {
    ...clock,
    now: () => {
      latest = Math.max(latest, clock.now())
      return latest + offset()
    },
  }
}
