// The service's time from one of its answers on. This machine's clock may be wrong, or be corrected meanwhile.
import type { Clock } from '../contract/clock.ts'

/** Whole milliseconds. */
export type ServiceTime = () => number

/** Without a time from the service, this machine's clock has to do. */
export const serviceTime = (
  clock: Pick<Clock, 'now' | 'monotonic'>,
  serverTime: number | undefined,
): ServiceTime => {
  const [wall, steady] = [clock.now(), clock.monotonic()]
  // The steady clock may stand still while a laptop sleeps, and the other may be put back: the later one is safe.
  return () => Math.round((serverTime ?? wall) + Math.max(clock.now() - wall, clock.monotonic() - steady))
}
