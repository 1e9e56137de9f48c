// Does the same work for many items, a few at once.

import type { Pace } from './pace.ts'

type Options = Pick<Pace, 'limit'> & Partial<Pick<Pace, 'ready'>> & { readonly signal: AbortSignal }

/**
 * After a failure, it aborts the signal, starts no further work, waits for the work in progress, and throws the first
 * failure.
 */
export const workInParallel = async <Item>(
  items: Iterable<Item>,
  { limit, ready, signal }: Options,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const failures: unknown[] = []
  const running = new Set<Promise<void>>()
  for (const item of items) {
    await ready?.(either)
    while (running.size >= limit()) await Promise.race(running)
    if (stop.signal.aborted) break
    const working = work(item, either)
      .catch((error) => {
        failures.push(error)
        stop.abort()
      })
      .finally(() => running.delete(working))
    running.add(working)
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
}

const readLimit = 8

/** Reads the journal for many items, a few at once. Returns the results in the order of the items. */
export const readInParallel = async <Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  const { signal } = new AbortController()
  await workInParallel(items.entries(), { limit: () => readLimit, signal }, async ([index, item]) => {
    results[index] = await read(item)
  })
  return results
}
