// Keeps a value of the journal up to date in the background, for code that cannot wait while it is read.
import type { Clock } from '../../../contract/clock.ts'

type Refreshed<Value> = {
  /** The last value that was read. Starts to read the next one if it is due. */
  readonly latest: () => Value
  /** Waits for the next value if it is due. Rejects if it cannot be read. */
  readonly refreshIfDue: () => Promise<void>
  /** Waits for a value that is read from now on. Rejects if it cannot be read. */
  readonly refreshNow: () => Promise<void>
  /** Waits until nothing is being read. Never rejects. */
  readonly settle: () => Promise<void>
}

const readEveryMs = 1_000
/** Counting takes longer the larger the batch is. It must not slow down the orders. */
const maxShareOfTime = 0.05

/** Reads the first value. At most one read is in progress, and there is no timer between two reads. */
export const createRefreshed = async <Value>(
  clock: Pick<Clock, 'monotonic'>,
  read: () => Promise<Value>,
): Promise<Refreshed<Value>> => {
  let dueAt = 0
  const readTimed = async (): Promise<Value> => {
    const before = clock.monotonic()
    try {
      return await read()
    } finally {
      const after = clock.monotonic()
      // Also after an error: a journal that fails is not asked for each frame.
      dueAt = after + Math.max(readEveryMs, (after - before) / maxShareOfTime)
    }
  }
  let last: Value = await readTimed()
  let reading: Promise<void> | undefined

  const start = (): Promise<void> => {
    reading ??= readTimed()
      .then((value) => {
        last = value
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const isDue = (): boolean => reading === undefined && clock.monotonic() >= dueAt
  const settle = async (): Promise<void> => reading?.catch(() => {})

  return {
    latest: () => {
      // After an error, the last value stays.
      if (isDue()) void start().catch(() => {})
      return last
    },
    refreshIfDue: async () => {
      if (reading !== undefined || isDue()) await start()
    },
    refreshNow: async () => {
      await settle()
      await start()
    },
    settle,
  }
}
