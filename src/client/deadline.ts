// The deadline of a whole call, from its first attempt to its last byte. An idle time-out misses a server that drips.
import type { Clock } from '../contract/clock.ts'

export const withDeadline = async <Result>(
  ms: number,
  clock: Pick<Clock, 'sleep'>,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const deadline = new AbortController()
  const done = new AbortController()
  void clock.sleep(ms, done.signal).then(async () => {
    // After a pause of the process (Ctrl-Z), an answer may be waiting. It is read first.
    await new Promise((resolve) => setImmediate(resolve))
    if (!done.signal.aborted) deadline.abort(new Error(`timed out after ${ms / 1000} s`))
  })
  const signals = outer === undefined ? [] : [outer]
  try {
    return await work(AbortSignal.any([deadline.signal, ...signals]))
  } finally {
    done.abort()
  }
}
