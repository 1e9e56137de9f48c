// The service's time, derived from one of its answers, because this machine's clock may be wrong or be corrected.
import type { Clock } from '../contract/clock.ts'

/** Whole milliseconds. */
export type ServiceTime = () => number

/** Falls back to this machine's clock if the answer has no time. */
export const serviceTime = (
  clock: Pick<Clock, 'now' | 'monotonic'>,
  serverTime: number | undefined,
): ServiceTime => {
  const [wallStart, monotonicStart] = [clock.now(), clock.monotonic()]
  // The monotonic clock may stop while a laptop sleeps, and the wall clock may be set back. The later time is the safe one.
  return () =>
    Math.round(
      (serverTime ?? wallStart) + Math.max(clock.now() - wallStart, clock.monotonic() - monotonicStart),
    )
}
