// Polls orders until each is final or has reached the requested state. Also looks at what other processes record in the
// journal.
import { within } from '../../contract/clock.ts'
import { createPauser } from './pauser.ts'
import { createProgress, listWatched, type Watched } from './progress.ts'
import { readOnce } from './read-once.ts'
import { createStoppedFailure, createTimedOutFailure } from './watch-failures.ts'
import type { WatchOptions } from './watch-options.ts'

const firstIntervalMs = 1_000
const maxIntervalMs = 10_000
const growth = 1.5

/** Returns the last state of each order, in the given sequence. Without `onNotice`, each has its answer. */
export const watch = async (orderIds: readonly string[], options: WatchOptions): Promise<Watched[]> => {
  const { clock, interrupted, timeoutMs } = options
  // A timeout or an interruption also aborts a request in progress.
  const poll = (signal: AbortSignal) => pollUntilDone(orderIds, options, signal)
  return timeoutMs === undefined ? poll(interrupted) : within(clock, timeoutMs, interrupted, poll)
}

const pollUntilDone = async (
  orderIds: readonly string[],
  options: WatchOptions,
  signal: AbortSignal,
): Promise<Watched[]> => {
  const { clock, interrupted, timeoutMs, intervalMs, random } = options
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs
  const progress = createProgress(orderIds)
  const { open, urgent } = progress
  const pause = createPauser(progress, options)
  let interval = intervalMs ?? firstIntervalMs
  /** The time until the next poll of all orders. */
  let left = 0

  for (;;) {
    const due = left > 0 ? [...urgent] : [...open]
    urgent.clear()
    const changes = await Promise.all(due.map((id) => readOnce(id, progress, options, signal)))
    if (open.size === 0) return listWatched(progress, orderIds)
    if (interrupted.aborted) throw createStoppedFailure(interrupted, open)
    if (signal.aborted || clock.monotonic() >= deadline) throw createTimedOutFailure(open)
    const isChanged = changes.includes(true)
    if (left <= 0 || isChanged) {
      if (intervalMs === undefined) {
        interval = isChanged ? firstIntervalMs : Math.min(interval * growth, maxIntervalMs)
      }
      // Jitter keeps many watchers from polling at the same moment.
      left = intervalMs ?? interval * (0.8 + 0.4 * random())
    }
    left = await pause(Math.max(0, Math.min(left, deadline - clock.monotonic())))
    if (interrupted.aborted) throw createStoppedFailure(interrupted, open)
  }
}
