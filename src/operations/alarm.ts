// A sleep that other work can end.
import type { Clock } from '../contract/clock.ts'

export const createAlarm = (clock: Pick<Clock, 'sleep'>) => {
  let sleeping: AbortController | undefined
  let isRung = false
  return {
    ring: (): void => {
      isRung = true
      sleeping?.abort()
    },
    /** Returns at once if `ring` was called since the last sleep. Returns whether `ring` ended the sleep. */
    sleep: async (ms: number, signal: AbortSignal): Promise<boolean> => {
      if (!isRung) {
        sleeping = new AbortController()
        await clock.sleep(ms, AbortSignal.any([sleeping.signal, signal]))
        sleeping = undefined
      }
      const wasRung = isRung
      isRung = false
      return wasRung
    },
  }
}
