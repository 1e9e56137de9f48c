// Reads orders and calls from the journal, the newest order first.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { AccountId } from '../contract/account-id.ts'
import { foldReference } from '../contract/reference.ts'
import type { AccountTable } from './accounts.ts'
import { createBatchQueries } from './batches/batch-queries.ts'
import { type Call, type Entry, journalOnlyStates, type Owner } from './entry.ts'
import { createReferenceQueries } from './reference-queries.ts'
import { fromRow } from './row.ts'
import { unfinishedCondition } from './schema.ts'
import { createSelectEntries, type SelectEntries } from './select-entries.ts'

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
  readonly limit: number
}

export type Queries = ReturnType<typeof createQueries>

export const createQueries = (database: DatabaseSync, accounts: AccountTable) => {
  const selectEntries = createSelectEntries(database)
  const selectById = (account: AccountId, orderId: string, limit?: number): Entry[] =>
    selectEntries({
      where: `order_id = $orderId AND ${accounts.createCondition(account)}`,
      values: { orderId },
      // On its own, SQLite reads all orders of the account.
      index: 'orders_by_id',
      ...(limit === undefined ? {} : { limit }),
    })
  const listCalls = (order: number): Call[] =>
    database
      .prepare('SELECT * FROM calls WHERE order_number = ? ORDER BY number')
      .all(order)
      .map((row) => fromRow<Call>(row))

  return {
    ...createReferenceQueries(selectEntries, listCalls, accounts),
    ...createBatchQueries(database, selectEntries, accounts),
    listCalls,
    getAccount: accounts.getId,

    getOrder: (number: number): Entry | undefined =>
      selectEntries({ where: 'number = $number', values: { number }, limit: 1 })[0],

    findOrder: ({ account }: Pick<Owner, 'account'>, orderId: string): Entry | undefined =>
      selectById(account, orderId, 1)[0],

    /** Returns several orders if the service used an id twice. */
    findById: (account: AccountId, orderId: string): Entry[] => selectById(account, orderId),

    findOnAnyAccount: (orderId: string): Entry[] =>
      selectEntries({ where: 'order_id = $orderId', values: { orderId } }),

    /** The newest order that was created with orderctl. */
    findLast: ({ account }: Pick<Owner, 'account'>): Entry | undefined =>
      selectEntries({
        where: `${accounts.createCondition(account)} AND request IS NOT NULL`,
        limit: 1,
      })[0],

    findUnproven: (account: AccountId): Entry[] =>
      selectEntries({
        where: `${accounts.createCondition(account)} AND number IN (SELECT order_number FROM calls
           WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown', 'refused'))`,
      }),

    findUnfinished: ({ account }: Pick<Owner, 'account'>): Entry[] =>
      selectEntries({
        where: `${accounts.createCondition(account)} AND ${unfinishedCondition}`,
        index: 'unfinished_by_account',
      }),

    /** Counts the orders of other accounts that may have spent. */
    countUnknownElsewhere: ({
      account,
    }: Pick<Owner, 'account'>): (Omit<Owner, 'account'> & { count: number })[] =>
      database
        .prepare(
          `SELECT profile, origin, count(*) AS count FROM orders
           WHERE standing = '${journalOnlyStates.unknown}' AND NOT (${accounts.createCondition(account)})
           GROUP BY profile, origin ORDER BY profile, origin`,
        )
        .all()
        .map((row) => fromRow<Omit<Owner, 'account'> & { count: number }>(row)),

    listOrders: (filter: Filter): Entry[] => listOrders(selectEntries, filter),

    /** The state before the first confirm: the name that this service has for a pending order. */
    findStateBeforeConfirm: (order: number): string | undefined =>
      database
        .prepare(
          `SELECT state FROM states JOIN orders ON number = order_number
           WHERE order_number = $order AND request IS NOT NULL AND at <= coalesce(
             (SELECT min(started_at) FROM calls WHERE order_number = $order AND operation = 'confirm'), at)
           ORDER BY at DESC LIMIT 1`,
        )
        .get({ order })?.state as string | undefined,
  }
}

const listOrders = (
  selectEntries: SelectEntries,
  { limit, profile, state, reference, since, unfinished, batches }: Filter,
): Entry[] => {
  const conditions: [sql: string, values: Record<string, SQLInputValue>][] = []
  if (profile !== undefined) conditions.push(['profile = $profile', { profile }])
  if (state !== undefined) conditions.push(['standing = $state', { state }])
  if (reference !== undefined) conditions.push(['reference_fold = $fold', { fold: foldReference(reference) }])
  if (since !== undefined) conditions.push(['placed_at >= $since', { since }])
  if (unfinished) conditions.push([unfinishedCondition, {}])
  if (batches !== undefined) conditions.push([`batch IN (${batches.join(', ')})`, {}])
  return selectEntries({
    where: ['TRUE', ...conditions.map(([sql]) => sql)].join(' AND '),
    values: Object.assign({}, ...conditions.map(([, values]) => values)),
    index: chooseIndex({ profile, unfinished, batches }),
    order: 'placed_at DESC, number DESC',
    limit,
  })
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
