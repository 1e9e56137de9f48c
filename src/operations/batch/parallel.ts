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

const readLimit = 8

/**
 * Reads the journal for many items, a few at once: a journal on a server responds later. Returns the results in the order of the items. If reads fail, throws the error of the
 * first of these items.
 */
export const readInParallel = async <Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: PromiseSettledResult<Result>[] = []
  const { signal } = new AbortController()
  await workInParallel(items.entries(), { limit: readLimit, signal }, async ([index, item]) => {
    const [result] = await Promise.allSettled([read(item)])
    results[index] = result
  })
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
