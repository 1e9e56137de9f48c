// The deadline of a whole call, from its first attempt to its last byte. An idle timeout would never stop a server
// that sends one byte at a time.
import type { Clock } from '../contract/clock.ts'

/** The reason of the signal when the deadline has passed. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

export const withDeadline = async <Result>(
  ms: number,
  clock: Pick<Clock, 'sleep'>,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const deadline = new AbortController()
  const done = new AbortController()
  void clock.sleep(ms, done.signal).then(async () => {
    // After a pause of the process (Ctrl-Z), read an answer that has already arrived.
    await new Promise((resolve) => setImmediate(resolve))
    if (!done.signal.aborted) deadline.abort(new DeadlineError(`timed out after ${ms / 1000} s`))
  })
  const signals = outer === undefined ? [] : [outer]
  try {
    return await work(AbortSignal.any([deadline.signal, ...signals]))
  } finally {
    done.abort()
  }
}
