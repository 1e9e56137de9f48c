// Lists the orders that pass a filter, and those that may have cards. The newest comes first.
import type { AccountId } from '../contract/account-id.ts'
import { foldReference } from '../contract/reference.ts'
import type { Read } from './access.ts'
import { readAccountCondition } from './accounts.ts'
import type { Statements, Values } from './database/database.ts'
import type { Entry } from './entry.ts'
import { selectEntries } from './queries.ts'
import { type Damage, fromRow } from './row.ts'
import { attemptCondition, createdCondition, unfinishedCondition } from './standings.ts'

export type Filter = {
  readonly profile?: string | undefined
  /** Only orders of the sandbox, or only others. */
  readonly isSandbox?: boolean | undefined
  readonly state?: string | undefined
  readonly reference?: string | undefined
  /** Includes this moment. */
  readonly since?: number | undefined
  /** Does not include this moment. */
  readonly until?: number | undefined
  /** Leaves out attempts that the service refused or never received. */
  readonly hidesAttempts?: boolean | undefined
  /** Selects only orders whose state may still change. */
  readonly unfinished?: boolean | undefined
  /** The numbers of batches. */
  readonly batches?: readonly number[] | undefined
  /** The numbers of actors. */
  readonly actors?: readonly number[] | undefined
  readonly limit: number
}

type Condition = readonly [sql: string, values: Values]

/** The conditions of the filter, except those on actors and attempts. */
const createConditions = (filter: Filter): Condition[] => {
  const { profile, isSandbox, state, reference, since, until, unfinished, batches } = filter
  const conditions: Condition[] = []
  if (profile !== undefined) conditions.push(['profile = $profile', { profile }])
  if (isSandbox !== undefined) conditions.push([`profile ${isSandbox ? '=' : '<>'} 'sandbox'`, {}])
  if (state !== undefined) conditions.push(['state = $state', { state }])
  if (reference !== undefined) conditions.push(['reference_fold = $fold', { fold: foldReference(reference) }])
  if (since !== undefined) conditions.push(['placed_at >= $since', { since }])
  if (until !== undefined) conditions.push(['placed_at < $until', { until }])
  if (unfinished) conditions.push([unfinishedCondition, {}])
  if (batches !== undefined) conditions.push([`batch IN (${batches.join(', ')})`, {}])
  return conditions
}

const joinConditions = (conditions: readonly Condition[]) => ({
  where: ['TRUE', ...conditions.map(([sql]) => sql)].join(' AND '),
  values: Object.assign({}, ...conditions.map(([, values]) => values)) as Values,
})

export const listOrders = (statements: Statements, filter: Filter): Promise<Entry[]> => {
  const { limit, reference, batches, unfinished, actors, hidesAttempts } = filter
  const hidden: readonly Condition[] = hidesAttempts ? [[createdCondition, {}]] : []
  const { where, values } = joinConditions([...createConditions(filter), ...hidden])
  const index = chooseIndex(filter)
  // The index of the reference or of the filter finds few orders.
  const hasIndex = batches !== undefined || unfinished === true || reference !== undefined
  return selectEntries(statements, {
    where: actors === undefined ? where : addActors(where, actors, hasIndex ? undefined : limit),
    values,
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

const chooseIndex = (filter: Filter): string | undefined => {
  const { profile, state, reference, unfinished, batches, actors, hidesAttempts } = filter
  if (batches !== undefined) return 'orders_by_batch'
  if (unfinished) return profile === undefined ? 'unfinished_by_time' : 'unfinished_by_profile'
  const isNarrow = [profile, state, reference, actors].some((each) => each !== undefined)
  return hidesAttempts && !isNarrow ? 'shown_by_time' : undefined
}

export type Summary = {
  /** The number of attempts that the filter leaves out, at most maxAttempts. */
  readonly attempts: number
  /** Whether several people have written to the journal. */
  readonly hasSeveralPeople: boolean
}

export const maxAttempts = 1_000

/** In one statement. `from`: counts only attempts from this moment on. */
export const summarizeList = async (
  { all, dialect }: Statements,
  filter: Filter,
  from: number | undefined,
): Promise<Summary> => {
  const { reference, batches, actors, hidesAttempts, since } = filter
  const { where, values } = joinConditions([
    ...createConditions({ ...filter, since: from === undefined ? since : Math.max(from, since ?? from) }),
    [hidesAttempts ? attemptCondition : 'FALSE', {}],
    ...(actors === undefined ? [] : [[`actor IN (${['NULL', ...actors].join(', ')})`, {}] as const]),
  ])
  const hasIndex = !hidesAttempts || reference !== undefined || batches !== undefined
  const [row] = await all(
    `SELECT (SELECT count(*) FROM (
         SELECT 1 AS found FROM orders ${hasIndex ? '' : dialect.indexedBy('attempts_by_time')}
         WHERE ${where} LIMIT ${maxAttempts}) AS attempts) AS attempts,
       (SELECT count(*) FROM (SELECT DISTINCT coalesce(role, os_user) AS name FROM actors LIMIT 2) AS names)
         AS people`,
    values,
  )
  return { attempts: Number(row?.attempts), hasSeveralPeople: Number(row?.people) > 1 }
}

export type DeliveredOrder = Damage & {
  readonly orderId: string
} & Pick<
    Entry,
    'number' | 'reference' | 'profile' | 'standing' | 'state' | 'placedAt' | 'actor' | 'writtenBy'
  >

/** Newest first, without the orders that are known to have no card. */
export const listDelivered = ({ read }: Read, account: AccountId, since: number): Promise<DeliveredOrder[]> =>
  read(async ({ statements }) => {
    const rows = await statements.all(
      `SELECT number, order_id, reference, profile, standing, state, placed_at, actor,
         ${statements.dialect.writtenBy} AS written_by FROM orders
       WHERE ${await readAccountCondition(statements, account)} AND placed_at >= $since AND order_id IS NOT NULL
         AND standing IN ('confirming', 'confirmed') AND coalesce(result, '') NOT IN ('failed', 'rejected')
         AND coalesce(delivered, 1) > 0
       ORDER BY placed_at DESC, number DESC`,
      { since },
    )
    return rows.map((row) => fromRow<DeliveredOrder>(row))
  })
