// Lists the orders that pass a filter, those that may have cards, and those that a process waits for. Also the reveals that
// pass a filter, and those of an order.

import { type AccountId, getAccountId, sandboxAddress } from '../../contract/account-id.ts'
import type { Access } from '../access.ts'
import { type Actor, accountValues, findActors, ofSameAccount, readAccountCondition } from '../accounts.ts'
import { runForRows, type Values } from '../database/database.ts'
import { reveals } from '../tables/accounts.ts'
import { orders } from '../tables/orders.ts'
import { type Entry, type Owner, type Query, selectEntries, selectOf, selectRows } from './entries.ts'
import type { RecordedReveal } from './seen-cards.ts'
import { spentCondition, unknownCondition } from './standings.ts'

export type Filter = {
  readonly profile?: string | undefined
  /** Only orders and batches of the sandbox, or only others. */
  readonly isSandbox?: boolean | undefined
  readonly state?: string | undefined
  /** Inclusive. */
  readonly since?: number | undefined
  /** Exclusive. */
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

/** Builds the conditions of the filter, except that on attempts. */
export const selectFiltered = (filter: Omit<Filter, 'limit'>, ...more: string[]) => {
  const { profile, isSandbox, state, since, until, unfinished, batches, actors } = filter
  const conditions = [
    ...(profile === undefined ? [] : ['profile = $profile']),
    ...(isSandbox === undefined ? [] : [`profile ${isSandbox ? '=' : '<>'} 'sandbox'`]),
    ...(state === undefined ? [] : ['state = $state']),
    ...(since === undefined ? [] : ['placed_at >= $since']),
    ...(until === undefined ? [] : ['placed_at < $until']),
    ...(unfinished ? ['NOT finished'] : []),
    ...(batches === undefined ? [] : [`batch IN (${batches.join(', ')})`]),
    // No actor has the number 0.
    ...(actors === undefined ? [] : [`actor IN (${[0, ...actors].join(', ')})`]),
  ]
  const values = { profile, state, since, until }
  return {
    where: ['TRUE', ...conditions, ...more].join(' AND '),
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values,
  }
}

export const listOrders = (access: Access, filter: Filter): Promise<Entry[]> => {
  const { limit, hidesAttempts } = filter
  return selectEntries(access, {
    ...selectFiltered(filter, hidesAttempts ? 'NOT attempt' : 'TRUE'),
    index: chooseIndex(filter),
    order: newestFirst,
    limit,
  })
}

const newestFirst = 'placed_at DESC, number DESC'
const chooseIndex = ({ unfinished, batches }: Filter): string | undefined =>
  batches !== undefined ? 'orders_by_batch' : unfinished ? 'unfinished_by_time' : undefined

export type Summary = {
  /** The number of attempts that the filter leaves out. */
  readonly attempts: number
  /** Whether several people have written to the journal. */
  readonly hasSeveralPeople: boolean
}

/** In one statement. `from`: counts only attempts from this moment on. */
export const summarizeList = async (
  { all }: Access,
  filter: Filter,
  from: number | undefined,
): Promise<Summary> => {
  const { hidesAttempts, since } = filter
  const { where, values } = selectFiltered(
    { ...filter, since: from === undefined ? since : Math.max(from, since ?? from) },
    hidesAttempts ? 'attempt' : 'FALSE',
  )
  const [row] = await all(
    `SELECT (SELECT count(*) FROM orders WHERE ${where}) AS attempts,
       (SELECT count(*) FROM (SELECT DISTINCT coalesce(role, os_user) AS name FROM actors LIMIT 2) AS names)
         AS people`,
    values,
  )
  return { attempts: Number(row?.attempts), hasSeveralPeople: Number(row?.people) > 1 }
}

export type OrderWithId = Entry & { readonly orderId: string }

/** Newest first, without the orders that are known to have no card. */
export const listDelivered = (access: Access, account: AccountId, since: number) =>
  selectWithId(access, account, {
    where: `placed_at >= $since AND ${spentCondition}
      AND coalesce(result, '') NOT IN ('failed', 'rejected') AND coalesce(delivered, 1) > 0`,
    values: { since },
    order: newestFirst,
  })

/** The orders that may have changed since then, or still may. The oldest come first. */
export const listOpenOrders = (access: Access, account: AccountId, since: number) =>
  selectWithId(access, account, {
    where: '(NOT finished OR changed_at >= $since)',
    values: { since },
    order: 'placed_at, number',
  })

const selectWithId = async (access: Access, account: AccountId, { where, ...query }: Query) =>
  (await selectOf(access, account, `order_id IS NOT NULL AND ${where}`, query)) as OrderWithId[]

/** Those of these ids that the account's orders have. */
export const findKnownIds = async (
  { all, dialect }: Access,
  account: AccountId,
  orderIds: readonly string[],
): Promise<string[]> => {
  const rows = await runForRows(
    { dialect, all: (sql, given) => all(sql, { ...given, ...accountValues(account) }) },
    ['TEXT'],
    orderIds.map((id) => [id]),
    (list) =>
      `SELECT DISTINCT order_id FROM ${list} AS wanted ${dialect.orderedJoin} orders
         ${dialect.indexedBy('orders_by_id')} ON order_id = column1
       WHERE ${ofSameAccount}`,
  )
  return rows.map((row) => String(row.order_id))
}

export type Elsewhere = Omit<Owner, 'account'> & { readonly count: number }

/** Counts other accounts' orders that may have spent. */
export const countUnknownElsewhere = async (access: Access, { account }: Pick<Owner, 'account'>) =>
  selectRows<Elsewhere>(
    access,
    orders,
    `SELECT profile, origin, count(*) AS count FROM orders
     WHERE ${unknownCondition} AND NOT (${await readAccountCondition(access, account)})
     GROUP BY profile, origin ORDER BY profile, origin`,
  )

/** Newest first. */
export const listReveals = (
  access: Access,
  {
    profile,
    since = 0,
    until,
    actors,
    limit,
    order,
  }: Pick<Filter, 'profile' | 'since' | 'until' | 'actors' | 'limit'> & {
    readonly order?: string | undefined
  },
): Promise<RecordedReveal[]> => {
  const beforeEnd = until === undefined ? [] : ['at < $until']
  const ofOrder = order === undefined ? [] : ['order_id = $order']
  const { where, values } = selectFiltered({ profile, actors }, 'at >= $since', ...beforeEnd, ...ofOrder)
  const sql = `SELECT profile, origin, order_id, skus, at, who, how, actor, ${access.dialect.writtenBy} AS written_by FROM reveals
    WHERE ${where} ORDER BY number DESC LIMIT $limit`
  return selectRows(access, reveals, sql, {
    ...values,
    since,
    limit,
    ...(until !== undefined && { until }),
    ...(order !== undefined && { order }),
  })
}

export type OrderReveal = RecordedReveal & { readonly by?: Actor | undefined }

/** Who revealed the codes of an order, the oldest first. */
export const listOrderReveals = async (access: Access, account: AccountId, orderId: string) => {
  const all = await listReveals(access, { order: orderId, limit: Number.MAX_SAFE_INTEGER })
  const findActor = await findActors(access, all)
  return all
    .filter(({ how, origin }) => how !== 'find' && isOfAddress(origin, account))
    .map((reveal): OrderReveal => ({ ...reveal, by: findActor(reveal) }))
    .toReversed()
}

/** A different service may use the same id. A damaged origin is not a URL. */
export const isOfAddress = (origin: string, { address }: AccountId): boolean =>
  origin === sandboxAddress || URL.canParse(origin)
    ? getAccountId(origin).address === address
    : origin === address
