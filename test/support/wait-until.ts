// Waits that let the event loop turn.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Shorter than the timeout of a test, so that the error names the condition. */
const limitMs = 20_000

export const waitUntil = async (condition: () => boolean, ms = limitMs): Promise<void> => {
  const deadline = performance.now() + ms
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`still false after ${ms / 1000} s: ${condition}`)
    await nextTurn()
  }
}

/** Gives code that must not run enough time to run. */
export const turnEventLoop = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}
