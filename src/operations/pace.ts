// Decides how many orders may be in flight and when requests may be sent again, by the responses so far.

import type { CallAttempt } from '../client/observe-transport.ts'
import type { Clock } from '../contract/time.ts'

type PaceDeps = {
  readonly max: number
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** At least 0 and less than 1. */
  readonly random: () => number
}

const goodResponsesPerRaise = 10
const longestRetryAfterMs = 5 * 60_000
const shortestWaitMs = 200
const longestWaitMs = 5_000

export type Pace = ReturnType<typeof createPace>

export const createPace = ({ max, clock, random }: PaceDeps) => {
  let limit = max
  let halvedAt = Number.NEGATIVE_INFINITY
  let readyAt = Number.NEGATIVE_INFINITY
  let goodResponses = 0
  /** Halvings since the last good response. */
  let halvings = 0

  const waitAtLeast = (ms: number): void => {
    readyAt = Math.max(readyAt, clock.monotonic() + ms)
  }
  const observe = (attempt: CallAttempt): void => {
    const { startedAt, retryAfterMs } = attempt
    const verdict = judgeAttempt(attempt)
    if (verdict === 'overloaded' && retryAfterMs !== undefined)
      waitAtLeast(Math.min(retryAfterMs, longestRetryAfterMs))
    // A request from before the last halving does not test the new limit.
    if (startedAt <= halvedAt || verdict === 'failed') return
    if (verdict === 'good') {
      halvings = 0
      goodResponses += 1
      if (goodResponses < goodResponsesPerRaise) return
      goodResponses = 0
      limit = Math.min(limit + 1, max)
      return
    }
    limit = Math.max(1, Math.floor(limit / 2))
    halvedAt = clock.monotonic()
    halvings += 1
    goodResponses = 0
    const longest = Math.min(shortestWaitMs * 2 ** halvings, longestWaitMs)
    if (retryAfterMs === undefined) waitAtLeast(shortestWaitMs + random() * (longest - shortestWaitMs))
  }

  /** Resolves when requests may be sent again, or when the signal aborts. */
  const ready = async (signal: AbortSignal): Promise<void> => {
    // A response that arrives meanwhile may ask to wait longer.
    for (let ms = readyAt - clock.monotonic(); ms > 0 && !signal.aborted; ms = readyAt - clock.monotonic())
      await clock.sleep(ms, signal)
  }

  return {
    /** How many orders may be in flight now: from 1 to the maximum. */
    limit: () => limit,
    ready,
    observe,
  }
}

/** A refusal is a good response: the service works. */
const judgeAttempt = ({
  status,
  error,
  isBusinessRefusal,
}: CallAttempt): 'good' | 'failed' | 'overloaded' => {
  if (status === 429 || status === 503 || error === 'timeout') return 'overloaded'
  if (status === undefined || status >= 500) return isBusinessRefusal ? 'good' : 'failed'
  // A redirect comes from a proxy or a wrong address.
  return status >= 300 && status < 400 ? 'failed' : 'good'
}
