// The slots that a run of a batch works on: ready, in progress, or postponed.
import { type Clock, createAlarm } from '../../contract/clock.ts'

export type SlotQueue = ReturnType<typeof createSlotQueue>

export const createSlotQueue = (clock: Clock) => {
  let ready = new Set<number>()
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
      const due = [...postponed].filter(([, at]) => at <= now).map(([slot]) => slot)
      for (const slot of due) postponed.delete(slot)
      // A postponed slot goes first, because its order may expire.
      ready = new Set([...due, ...ready])
      const [slot] = ready
      if (slot !== undefined) ready.delete(slot)
      return slot
    },
    add: (more: readonly number[]): void => {
      for (const slot of more) ready.add(slot)
      alarm.ring()
    },
    dropReady: (): void => ready.clear(),
    postpone: (slot: number, ms: number): void => {
      postponed.set(slot, clock.monotonic() + ms)
    },
    countReady: (): number => ready.size,
    /** The slots that are not in progress. */
    listWaiting: (): number[] => [...ready, ...postponed.keys()],
    countActive: (): number => active,
    /** Slots that only wait for the outcome of a confirm. */
    countReleased: (): number => working.size - active,
    isIdle: (): boolean => working.size === 0 && ready.size === 0 && postponed.size === 0,

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
