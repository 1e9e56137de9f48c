// The service's time, from an answer of it on: the clock on this machine's wall may be wrong, or be put right meanwhile.
import type { Clock } from '../contract/clock.ts'

export type ServiceTime = () => number

/** Where no answer says the time, this machine's has to do. */
export const serviceTime = (
  clock: Pick<Clock, 'now' | 'monotonic'>,
  heard: number | undefined,
): ServiceTime => {
  const [wall, steady] = [clock.now(), clock.monotonic()]
  // The steady clock may stand still while a laptop sleeps, the other may be put back: the later one is on the safe side.
  return () => (heard ?? wall) + Math.max(clock.now() - wall, clock.monotonic() - steady)
}
