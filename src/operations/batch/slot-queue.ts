// The slots that a run of a batch holds: ready, in progress, or postponed.
import { type Clock, createAlarm } from '../../contract/clock.ts'

export type SlotQueue = ReturnType<typeof createSlotQueue>

export const createSlotQueue = (clock: Clock) => {
  // Read from the end, so that taking a slot is cheap.
  const ready: number[] = []
  const postponed = new Map<number, number>()
  const working = new Set<Promise<void>>()
  let active = 0
  const alarm = createAlarm(clock)

  return {
    /** Ends `wait`. */
    notify: alarm.ring,
    /** The next slot to work on now. */
    next: (): number | undefined => {
      const now = clock.monotonic()
      // The order of a postponed slot expires soon, so it goes before slots without an order.
      const due = [...postponed].filter(([, at]) => at <= now).map(([slot]) => slot)
      for (const slot of due) postponed.delete(slot)
      ready.push(...due)
      return ready.pop()
    },
    add: (more: readonly number[]): void => {
      // A slot that was lost and claimed again is here already.
      for (const slot of more) {
        postponed.delete(slot)
        const index = ready.indexOf(slot)
        if (index >= 0) ready.splice(index, 1)
      }
      ready.unshift(...more.toReversed())
      alarm.ring()
    },
    postpone: (slot: number, ms: number): void => {
      postponed.set(slot, clock.monotonic() + ms)
    },
    countReady: (): number => ready.length,
    /** Removes the slots that are not in progress, and returns them. */
    takeWaiting: (): number[] => {
      const waiting = [...ready.splice(0), ...postponed.keys()]
      postponed.clear()
      return waiting
    },
    countActive: (): number => active,
    /** Slots that only wait for the outcome of a confirm. */
    countReleased: (): number => working.size - active,
    isIdle: (): boolean => working.size === 0 && ready.length === 0 && postponed.size === 0,

    /** The work counts as active until it ends or calls `release`. */
    start: (work: (release: () => void) => Promise<void>): void => {
      active += 1
      let isActive = true
      const release = (): void => {
        if (isActive) active -= 1
        isActive = false
        alarm.ring()
      }
      const done = work(release).finally(() => {
        working.delete(done)
        release()
      })
      working.add(done)
    },

    /** Resolves when a slot has ended, one is due again, the time is over, or the signal aborts. */
    wait: async (ms: number, signal: AbortSignal): Promise<void> => {
      const now = clock.monotonic()
      // A slot that is due already waits for another one to end.
      const times = [...postponed.values()].filter((at) => at > now)
      await alarm.sleep(Math.min(ms, ...times.map((at) => at - now)), signal)
    },

    finish: async (): Promise<void> => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
