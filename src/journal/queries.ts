// Selects orders and calls, also within a transaction that locks them. The newest order comes first.
import type { AccountId } from '../contract/account-id.ts'
import { foldReference, isSameReference } from '../contract/reference.ts'
import { matchAccounts, ofSameAccount } from './accounts.ts'
import type { Statements, Values } from './database/database.ts'
import { type Call, type Entry, isPendingCreate } from './entry.ts'
import { fromRow } from './row.ts'
import { isHolding, isUnprovenOrder } from './standings.ts'

type Query = {
  readonly where: string
  readonly values?: Values
  readonly index?: string | undefined
  readonly order?: string
  /** The maximum number of orders (default: all). */
  readonly limit?: number | undefined
  /** Locks the orders until the end of the transaction. */
  readonly isLocking?: boolean
}

export type SelectEntries = (query: Query) => Promise<Entry[]>

export const createSelectEntries =
  ({ all, dialect }: Statements): SelectEntries =>
  async ({ where, values, index, order = 'number DESC', limit, isLocking = false }) => {
    const rows = await all(
      `SELECT * FROM orders ${index === undefined ? '' : dialect.indexedBy(index)}
       WHERE ${where} ORDER BY ${order} ${limit === undefined ? '' : `LIMIT ${limit}`}
       ${isLocking ? dialect.forUpdate : ''}`,
      values,
    )
    return rows.map((row) => fromRow<Entry>(row))
  }

export type Queries = {
  readonly getOrder: (number: number) => Promise<Entry | undefined>
  /** Call it within a transaction. */
  readonly lockOrder: (number: number) => Promise<Entry | undefined>
  /** Returns several orders if the service used an id twice. */
  readonly findById: (account: AccountId, orderId: string, limit?: number) => Promise<Entry[]>
  /** Call it within a transaction. */
  readonly lockById: (account: AccountId, orderId: string) => Promise<Entry[]>
  /** Other orders of the same account with this id. */
  readonly findOthersById: (order: number, orderId: string) => Promise<Entry[]>
  /** Includes void orders. */
  readonly findAllByReference: (account: AccountId, reference: string) => Promise<Entry[]>
  /**
   * Another order with this reference that is confirmed, or may still be. `known` is undefined for an order that is not
   * in the journal.
   */
  readonly findRival: (
    account: AccountId,
    reference: string,
    known: Pick<Entry, 'number' | 'batch'> | undefined,
  ) => Promise<Entry | undefined>
  /** The oldest first. */
  readonly listCalls: (order: number) => Promise<Call[]>
  /**
   * Another process may still be waiting for the response to its create. If the create has ended since the order was
   * read, the order may hold its reference by now, so it also counts.
   */
  readonly isCreating: (entry: Entry, at: number) => Promise<boolean>
}

export const createQueries = ({ all }: Statements, selectEntries: SelectEntries): Queries => {
  const selectById = (
    account: AccountId,
    orderId: string,
    more: { readonly limit?: number | undefined; readonly isLocking?: boolean },
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

  const selectByNumber = async (number: number, isLocking: boolean): Promise<Entry | undefined> =>
    (await selectEntries({ where: 'number = $number', values: { number }, isLocking }))[0]

  const findAllByReference: Queries['findAllByReference'] = async (account, reference) =>
    (await selectEntries(selectByFold(account, reference))).filter((entry) =>
      isSameReference(entry.reference ?? '', reference),
    )

  const listCalls: Queries['listCalls'] = async (order) => {
    const rows = await all('SELECT * FROM calls WHERE order_number = $order ORDER BY number', { order })
    return rows.map((row) => fromRow<Call>(row))
  }

  return {
    getOrder: (number) => selectByNumber(number, false),
    lockOrder: (number) => selectByNumber(number, true),
    findById: (account, orderId, limit) => selectById(account, orderId, { limit }),
    lockById: (account, orderId) => selectById(account, orderId, { isLocking: true }),

    findOthersById: async (order, orderId) => {
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

    findAllByReference,

    findRival: async (account, reference, known) => {
      const number = known?.number
      for (const other of await findAllByReference(account, reference)) {
        if (other.number === number || other.duplicate === 1) continue
        if (isUnprovenOrder(other)) return other
        // The order to confirm would not count against the cap of the batch, which buys the cards itself.
        if (known?.batch === undefined && other.batch !== undefined) return other
        if (!isHolding(other)) continue
        if (other.standing === 'confirmed' || number === undefined || other.number > number) return other
      }
      return undefined
    },

    listCalls,

    isCreating: async ({ standing, number }, at) =>
      standing === 'creating' &&
      (await listCalls(number)).some((call) => call.outcome !== 'sending' || isPendingCreate(call, at)),
  }
}

/** Also selects references that only look like this one. */
export const selectByFold = (account: AccountId, reference: string) => {
  const { where, values } = ofSameAccount(account)
  return {
    where: `reference_fold = $fold AND ${where}`,
    values: { ...values, fold: foldReference(reference) },
  }
}
