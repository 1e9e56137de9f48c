// The slots that a run of a batch works on: ready, in progress, or postponed.
import { type Clock, createAlarm } from '../../contract/time.ts'

export type SlotQueue = ReturnType<typeof createSlotQueue>

/**
 * The activity of a slot in progress: it sends requests, waits for the outcome of a confirm, or waits for its cards.
 */
export type Stage = 'calling' | 'settling' | 'delivering'

export const createSlotQueue = (clock: Clock) => {
  let ready = new Set<number>()
  const postponed = new Map<number, number>()
  const working = new Set<Promise<void>>()
  const counts: Record<Stage, number> = { calling: 0, settling: 0, delivering: 0 }
  const alarm = createAlarm(clock)

  return {
    /** Ends `wait`. */
    notify: alarm.ring,
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
    count: (stage: Stage): number => counts[stage],
    isIdle: (): boolean => working.size === 0 && ready.size === 0 && postponed.size === 0,

    /** The work begins by calling. */
    start: (work: (enter: (next: Stage) => void) => Promise<void>): void => {
      let stage: Stage = 'calling'
      counts[stage] += 1
      const enter = (next: Stage): void => {
        counts[stage] -= 1
        stage = next
        counts[stage] += 1
        alarm.ring()
      }
      const done = work(enter).finally(() => {
        working.delete(done)
        counts[stage] -= 1
        alarm.ring()
      })
      working.add(done)
    },

    /** Resolves when a slot has ended, one is due again, the time is over, or the signal aborts. */
    wait: async (ms: number, signal: AbortSignal): Promise<void> => {
      const now = clock.monotonic()
      // A slot that is due already waits for a different slot to end.
      const times = [...postponed.values()].filter((at) => at > now)
      await alarm.sleep(Math.min(ms, ...times.map((at) => at - now)), signal)
    },

    finish: async (): Promise<void> => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
