// Accelerated real time for real processes. `scaled-clock.ts` gives them the same clock.
import { setTimeout as delay } from 'node:timers/promises'
import type { Time } from './time.ts'

export const scale = 40

type Due = { readonly at: number; readonly work: () => unknown }

/** In milliseconds, by a clock that all processes of this machine share. */
const machineNow = (): number => performance.timeOrigin + performance.now()

/** Where time began, and how far it was put ahead since: what a process is told when it starts. */
export type RealTime = Time & { start(): { readonly begun: number; readonly aheadMs: number } }

export const realTime = (): RealTime => {
  const begun = machineNow()
  let aheadMs = 0
  const queue: Due[] = []
  const now = (): number => (machineNow() - begun) * scale + aheadMs

  const fire = async (due: Due): Promise<void> => {
    const place = queue.indexOf(due)
    if (place === -1) return
    queue.splice(place, 1)
    await due.work()
  }
  const plan = (due: Due): void => {
    const timer = setTimeout(
      () => (due.at <= now() ? void fire(due) : plan(due)),
      Math.max(0, due.at - now()) / scale,
    )
    timer.unref()
  }
  const until = async (isOver: () => boolean): Promise<boolean> => {
    while (!isOver()) await delay(1)
    return true
  }
  /** What is due in between happens at its time. */
  const pass = async (ms: number): Promise<void> => {
    const end = now() + ms
    for (;;) {
      const due = queue.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0]
      if (due === undefined) break
      aheadMs += Math.max(0, due.at - now())
      await fire(due)
      // What it sets off begins before time goes on.
      await delay(1)
    }
    aheadMs += Math.max(0, end - now())
  }
  return {
    now,
    after: (ms, work) => {
      const due = { at: now() + ms, work }
      queue.push(due)
      plan(due)
      return () => {
        const place = queue.indexOf(due)
        if (place !== -1) queue.splice(place, 1)
      }
    },
    noteActivity: () => {},
    until,
    wait: (ms) => delay(ms / scale),
    pass,
    sleep: pass,
    start: () => ({ begun, aheadMs }),
  }
}
