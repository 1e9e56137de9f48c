// Does the same work for many items, a few at once.

/**
 * After a failure, it aborts the signal, starts no further work, waits for the work in progress, and throws the first
 * failure.
 */
export const workInParallel = async <Item>(
  items: Iterable<Item>,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const left = items[Symbol.iterator]()
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const failures: unknown[] = []
  const workOn = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && !stop.signal.aborted; next = left.next()) {
      try {
        await work(next.value, either)
      } catch (error) {
        failures.push(error)
        stop.abort()
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, workOn))
  if (failures.length > 0) throw failures[0]
}
