// Lists the orders that pass a filter, the newest first.
import { foldReference } from '../contract/reference.ts'
import type { Values } from './database/database.ts'
import type { Entry } from './entry.ts'
import { unfinishedCondition } from './schema.ts'
import type { SelectEntries } from './select-entries.ts'

export type Filter = {
  readonly profile?: string | undefined
  readonly state?: string | undefined
  readonly reference?: string | undefined
  /** Includes this moment. */
  readonly since?: number | undefined
  /** Selects only orders whose state may still change. */
  readonly unfinished?: boolean | undefined
  /** The numbers of batches. */
  readonly batches?: readonly number[] | undefined
  /** The numbers of actors. */
  readonly actors?: readonly number[] | undefined
  readonly limit: number
}

export const listOrders = (
  selectEntries: SelectEntries,
  { limit, profile, state, reference, since, unfinished, batches, actors }: Filter,
): Promise<Entry[]> => {
  const conditions: [sql: string, values: Values][] = []
  if (profile !== undefined) conditions.push(['profile = $profile', { profile }])
  if (state !== undefined) conditions.push(['standing = $state', { state }])
  if (reference !== undefined) conditions.push(['reference_fold = $fold', { fold: foldReference(reference) }])
  if (since !== undefined) conditions.push(['placed_at >= $since', { since }])
  if (unfinished) conditions.push([unfinishedCondition, {}])
  if (batches !== undefined) conditions.push([`batch IN (${batches.join(', ')})`, {}])
  const index = chooseIndex({ profile, unfinished, batches })
  const where = ['TRUE', ...conditions.map(([sql]) => sql)].join(' AND ')
  // The index of the reference or of the filter finds few orders.
  const hasIndex = index !== undefined || reference !== undefined
  return selectEntries({
    where: actors === undefined ? where : addActors(where, actors, hasIndex ? undefined : limit),
    values: Object.assign({}, ...conditions.map(([, values]) => values)),
    index,
    order: newestFirst,
    limit,
  })
}

const newestFirst = 'placed_at DESC, number DESC'
/** SQLite joins at most 500 queries. */
const maxNewest = 100

/**
 * With a limit, the newest orders of each actor are found in the index orders_by_actor. Otherwise the database reads
 * all orders of all these actors and sorts them.
 */
const addActors = (where: string, actors: readonly number[], limit: number | undefined): string => {
  if (actors.length === 0) return 'FALSE'
  if (limit === undefined || actors.length > maxNewest) return `${where} AND actor IN (${actors.join(', ')})`
  const newest = actors.map(
    (actor) =>
      `SELECT number FROM (SELECT number FROM orders WHERE actor = ${actor} AND ${where}
         ORDER BY ${newestFirst} LIMIT ${limit}) AS of_${actor}`,
  )
  return `number IN (${newest.join(' UNION ALL ')})`
}

const chooseIndex = ({
  profile,
  unfinished,
  batches,
}: Pick<Filter, 'profile' | 'unfinished' | 'batches'>): string | undefined => {
  if (batches !== undefined) return 'orders_by_batch'
  if (!unfinished) return undefined
  return profile === undefined ? 'unfinished_by_time' : 'unfinished_by_profile'
}
