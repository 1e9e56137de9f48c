// Decides whether a transaction runs again after an error.
import { ConnectionLost, isServerError } from './lost-connection.ts'

/** How often a transaction runs at most, by the error code of PostgreSQL. */
const runsByCode: ReadonlyMap<string, number> = new Map([
  // serialization_failure and deadlock_detected.
  ['40001', 10],
  ['40P01', 10],
  // lock_not_available: lock_timeout has expired.
  ['55P03', 3],
  // unique_violation: another transaction has inserted the row, and the work now finds it.
  ['23505', 3],
])

const firstDelayMs = 20
const longestDelayMs = 500

/** The delay before the next run, or undefined if there is none. `runs` counts the runs so far. */
export const findRetryDelay = (error: unknown, runs: number, random: () => number): number | undefined => {
  // Nothing was committed, because COMMIT was not sent.
  if (error instanceof ConnectionLost)
    return error.when === 'statement' && !error.isTimeout && runs === 1 ? 0 : undefined
  if (!isServerError(error) || runs >= (runsByCode.get(error.code) ?? 0)) return undefined
  return random() * Math.min(longestDelayMs, firstDelayMs * 2 ** runs)
}
