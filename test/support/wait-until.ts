// Waits that let the event loop turn.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'

/** Shorter than the timeout of a test, so that the error names the condition. */
const limitMs = 100_000
/** Then the condition depends on another process, which needs the processor. */
const quickTurns = 200

export const waitUntil = async (condition: () => boolean, ms = limitMs): Promise<void> => {
  const deadline = performance.now() + ms
  for (let turn = 0; !condition(); turn += 1) {
    if (performance.now() > deadline) throw new Error(`still false after ${ms / 1000} s: ${condition}`)
    await (turn < quickTurns ? nextTurn() : delay(5))
  }
}

/** Gives code that must not run enough time to run. */
export const turnEventLoop = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}
