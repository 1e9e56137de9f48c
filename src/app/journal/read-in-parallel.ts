// Reads the journal for many items, a few at once: a journal on a server responds later.
import { workInParallel } from '../../operations/batch/parallel.ts'

const limit = 8

/** Returns the results in the order of the items. If reads fail, throws the error of the first of these items. */
export const readInParallel = async <Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: PromiseSettledResult<Result>[] = []
  const { signal } = new AbortController()
  await workInParallel(items.entries(), { limit, signal }, async ([index, item]) => {
    const [result] = await Promise.allSettled([read(item)])
    results[index] = result
  })
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
