// Reads orders and calls from the journal, the newest order first.
import type { AccountId } from '../contract/account-id.ts'
import { type AccountTable, matchAccounts, ofSameAccount } from './accounts.ts'
import type { Identity } from './actors/actors.ts'
import { createBatchQueries } from './batches/batch-queries.ts'
import type { Statements } from './database/database.ts'
import { type Call, type Entry, isPendingCreate, type Owner, unfinishedCondition } from './entry.ts'
import { createLastQueries } from './last-queries.ts'
import { type Filter, listOrders, type Summary, summarizeList } from './list-orders.ts'
import { createReferenceQueries } from './reference-queries.ts'
import { fromRow } from './row.ts'
import type { SelectEntries } from './select-entries.ts'

export type Queries = ReturnType<typeof createQueries>

type Parts = {
  readonly selectEntries: SelectEntries
  readonly accounts: AccountTable
  readonly identify: () => Identity
}

export const createQueries = (statements: Statements, { selectEntries, accounts, identify }: Parts) => {
  const { all } = statements
  const lastQueries = createLastQueries(statements, { selectEntries, accounts, identify })
  const selectById = (
    account: AccountId,
    orderId: string,
    more: { readonly limit?: number; readonly isLocking?: boolean } = {},
  ): Promise<Entry[]> => {
    const { where, values } = ofSameAccount(account)
    return selectEntries({
      where: `order_id = $orderId AND ${where}`,
      values: { ...values, orderId },
      // On its own, SQLite reads all orders of the account.
      index: 'orders_by_id',
      ...more,
    })
  }
  const listCalls = async (order: number): Promise<Call[]> => {
    const rows = await all('SELECT * FROM calls WHERE order_number = $order ORDER BY number', { order })
    return rows.map((row) => fromRow<Call>(row))
  }
  const selectByNumber = async (number: number, isLocking: boolean): Promise<Entry | undefined> =>
    (await selectEntries({ where: 'number = $number', values: { number }, isLocking }))[0]

  return {
    ...createReferenceQueries(selectEntries),
    ...lastQueries,
    ...createBatchQueries(statements, { selectEntries, accounts, ...lastQueries }),
    listCalls,
    /**
     * Another process may still be waiting for the response to its create. If the create has ended since the order was
     * read, the order may hold its reference by now, so it also counts.
     */
    isCreating: async ({ standing, number }: Entry, at: number): Promise<boolean> =>
      standing === 'creating' &&
      (await listCalls(number)).some((call) => call.outcome !== 'sending' || isPendingCreate(call, at)),
    getAccount: accounts.getId,

    getOrder: (number: number): Promise<Entry | undefined> => selectByNumber(number, false),

    /** Call it within a transaction. */
    lockOrder: (number: number): Promise<Entry | undefined> => selectByNumber(number, true),

    findOrder: async ({ account }: Pick<Owner, 'account'>, orderId: string): Promise<Entry | undefined> =>
      (await selectById(account, orderId, { limit: 1 }))[0],

    /** Returns several orders if the service used an id twice. */
    findById: (account: AccountId, orderId: string): Promise<Entry[]> => selectById(account, orderId),

    /** Other orders of the same account: the service may use an id twice. */
    findOthersById: async (order: number, orderId: string): Promise<Entry[]> => {
      const others = { where: 'order_id = $orderId AND number <> $order', values: { orderId, order } }
      // Usually there are none. PostgreSQL takes much longer to plan the query with accounts.
      if ((await selectEntries({ ...others, index: 'orders_by_id' })).length === 0) return []
      return selectEntries({
        ...others,
        where: `${others.where} AND account IN (
          SELECT other.number FROM orders JOIN accounts AS own ON own.number = orders.account
          JOIN accounts AS other ON ${matchAccounts('other', 'own')}
          WHERE orders.number = $order)`,
        index: 'orders_by_id',
      })
    },

    /** Call it within a transaction. */
    lockById: (account: AccountId, orderId: string): Promise<Entry[]> =>
      selectById(account, orderId, { isLocking: true }),

    findOnAnyAccount: (orderId: string): Promise<Entry[]> =>
      selectEntries({ where: 'order_id = $orderId', values: { orderId } }),

    /** The newest first. */
    findNewest: async ({ account }: Pick<Owner, 'account'>, limit: number): Promise<Entry[]> =>
      selectEntries({
        where: await accounts.createCondition(account),
        order: 'placed_at DESC, number DESC',
        limit,
      }),

    findUnproven: async (account: AccountId): Promise<Entry[]> =>
      selectEntries({
        where: `${await accounts.createCondition(account)} AND standing IN ('confirming', 'doubtful')`,
      }),

    findUnfinished: async ({ account }: Pick<Owner, 'account'>): Promise<Entry[]> =>
      selectEntries({
        where: `${await accounts.createCondition(account)} AND ${unfinishedCondition}`,
        index: 'unfinished_by_account',
      }),

    /** Counts the orders of other accounts that may have spent. */
    countUnknownElsewhere: async ({
      account,
    }: Pick<Owner, 'account'>): Promise<(Omit<Owner, 'account'> & { count: number })[]> => {
      const rows = await all(
        `SELECT profile, origin, count(*) AS count FROM orders
         WHERE standing = 'confirming' AND NOT (${await accounts.createCondition(account)})
         GROUP BY profile, origin ORDER BY profile, origin`,
      )
      return rows.map((row) => fromRow<Omit<Owner, 'account'> & { count: number }>(row))
    },

    listOrders: (filter: Filter): Promise<Entry[]> => listOrders(selectEntries, filter),
    summarizeList: (filter: Filter, from: number | undefined): Promise<Summary> =>
      summarizeList(statements, filter, from),
  }
}
