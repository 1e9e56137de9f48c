// The slots that a running batch still has to buy: ready, in progress, postponed, or with an unknown outcome.
import type { Clock } from '../../contract/clock.ts'

export type SlotQueue = ReturnType<typeof createSlotQueue>

export const createSlotQueue = (slots: readonly number[], clock: Clock) => {
  // Read from the end, so that taking a slot is cheap.
  const ready = slots.toReversed()
  const postponed = new Map<number, number>()
  const unknown = new Set<number>()
  const failures = new Map<number, number>()
  const working = new Set<Promise<void>>()
  let active = 0
  let wake = new AbortController()

  const notify = (): void => {
    wake.abort()
    wake = new AbortController()
  }

  const resumePostponed = (): void => {
    const now = clock.monotonic()
    for (const [slot, at] of postponed) {
      if (at > now) continue
      postponed.delete(slot)
      // Its order expires soon, so it goes before slots without an order.
      ready.push(slot)
    }
  }

  return {
    /** The next slot to work on now. */
    next: (): number | undefined => {
      resumePostponed()
      return ready.pop()
    },
    add: (more: readonly number[]): void => {
      ready.push(...more.toReversed())
      notify()
    },
    postpone: (slot: number, ms: number): void => {
      postponed.set(slot, clock.monotonic() + ms)
    },
    /** Counts the failures of the slot in this run. */
    countFailure: (slot: number): number => {
      const count = (failures.get(slot) ?? 0) + 1
      failures.set(slot, count)
      return count
    },
    setAside: (slot: number): void => void unknown.add(slot),
    countUnknown: (): number => unknown.size,
    resumeUnknown: (): void => {
      ready.unshift(...unknown)
      unknown.clear()
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
        if (!isActive) return
        isActive = false
        active -= 1
        notify()
      }
      const done = work(release).finally(() => {
        working.delete(done)
        release()
        notify()
      })
      working.add(done)
    },

    /** Resolves when a slot has ended, one is due again, the time is over, or the signal aborts. */
    wait: async (ms: number, signal: AbortSignal): Promise<void> => {
      const now = clock.monotonic()
      let due = ms
      // A slot that is due already waits for another one to end.
      for (const at of postponed.values()) if (at > now) due = Math.min(due, at - now)
      await clock.sleep(due, AbortSignal.any([wake.signal, signal]))
    },

    finish: async (): Promise<void> => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
