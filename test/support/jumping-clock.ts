// A clock on which waits end at once: when nothing else is left to do, it jumps to the next alarm.
import type { Clock } from '../../src/contract/time.ts'

/** A longer wait is a limit on something else, such as the deadline of a call. It ends when other waits have passed it. */
const longestWaitMs = 20_000

type Alarm = { readonly at: number; readonly isHeld: () => boolean; readonly wake: () => void }

/** Without `passed`, the clock stands still between its jumps. */
export const createJumpingClock = (start: number, passed: () => number = () => 0) => {
  let jumpedMs = 0
  const now = (): number => start + passed() + jumpedMs
  const alarms = new Set<Alarm>()
  const limits = new Set<Alarm>()
  const ring = (all: Set<Alarm>): void => {
    for (const alarm of [...all].sort((a, b) => a.at - b.at)) {
      if (alarm.at > now()) break
      all.delete(alarm)
      alarm.wake()
    }
  }
  const advanceTo = (time: number): void => {
    jumpedMs += Math.max(0, time - now())
    ring(alarms)
    ring(limits)
  }
  let isStopped = false
  let isJumpDue = false
  /** Jumps after the input and output that are ready. One jump a turn, however many waits there are. */
  const jumpSoon = (): void => {
    if (isJumpDue) return
    isJumpDue = true
    setImmediate(() => {
      isJumpDue = false
      if ([...alarms].every(({ isHeld }) => isHeld())) return
      advanceTo(Math.min(...[...alarms].map(({ at }) => at)))
      if (alarms.size > 0) jumpSoon()
    })
  }
  /**
   * A clock whose alarms are held while something real is pending, such as a request on a socket. Held alarms ring only
   * when the clock jumps past them to another alarm.
   */
  const forWhom = (isHeld: () => boolean): Clock => ({
    now,
    monotonic: now,
    newId: () => crypto.randomUUID(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const isLimit = ms > longestWaitMs
        const all = isLimit ? limits : alarms
        const alarm = { at: now() + ms, isHeld, wake: resolve }
        if (!isStopped) all.add(alarm)
        signal?.addEventListener(
          'abort',
          () => {
            all.delete(alarm)
            resolve()
          },
          { once: true },
        )
        if (!isLimit && !isStopped) jumpSoon()
      }),
  })
  /** From here on, a wait ends only when it is aborted. So a killed command does nothing beside the next tests. */
  const stop = (): void => {
    isStopped = true
    alarms.clear()
    limits.clear()
  }
  /** For ever is until the next limit. */
  const pass = (ms: number): void =>
    advanceTo(
      Number.isFinite(ms) ? now() + ms : Math.min(now() + 86_400_000, ...[...limits].map(({ at }) => at)),
    )
  return { ...forWhom(() => false), forWhom, pass, jumpSoon, stop }
}
