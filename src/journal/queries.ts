// Selects orders and calls, also within a transaction that locks them. The newest order comes first.
import type { AccountId } from '../contract/account-id.ts'
import { foldReference, isSameReference } from '../contract/reference.ts'
import { matchAccounts, ofSameAccount } from './accounts.ts'
import type { Statements, Values } from './database/database.ts'
import { type Call, type Entry, isPendingCreate } from './entry.ts'
import { fromRow } from './row.ts'
import { isHolding, isUnprovenOrder } from './standings.ts'
import { calls } from './tables/orders.ts'

export type Query = {
  readonly where: string
  readonly values?: Values
  readonly index?: string | undefined
  readonly order?: string
  /** The maximum number of orders (default: all). */
  readonly limit?: number | undefined
  /** Locks the orders until the end of the transaction. */
  readonly isLocking?: boolean
}

export const selectEntries = async (
  { all, dialect }: Statements,
  { where, values, index, order = 'number DESC', limit, isLocking = false }: Query,
): Promise<Entry[]> => {
  const rows = await all(
    `SELECT * FROM orders ${index === undefined ? '' : dialect.indexedBy(index)}
     WHERE ${where} ORDER BY ${order} ${limit === undefined ? '' : `LIMIT ${limit}`}
     ${isLocking ? dialect.forUpdate : ''}`,
    values,
  )
  return rows.map((row) => fromRow<Entry>(row))
}

const byNumber = (number: number): Query => ({ where: 'number = $number', values: { number } })

export const getOrder = async (statements: Statements, number: number): Promise<Entry | undefined> =>
  (await selectEntries(statements, byNumber(number)))[0]

/** Call it within a transaction. */
export const lockOrder = async (statements: Statements, number: number): Promise<Entry | undefined> =>
  (await selectEntries(statements, { ...byNumber(number), isLocking: true }))[0]

/** Returns several orders if the service used an id twice. */
export const findById = (
  statements: Statements,
  account: AccountId,
  orderId: string,
  more: Pick<Query, 'limit' | 'isLocking'> = {},
): Promise<Entry[]> => {
  const { where, values } = ofSameAccount(account)
  return selectEntries(statements, {
    where: `order_id = $orderId AND ${where}`,
    values: { ...values, orderId },
    // On its own, SQLite reads all orders of the account.
    index: 'orders_by_id',
    ...more,
  })
}

/** Other orders of the same account with this id. */
export const findOthersById = async (
  statements: Statements,
  order: number,
  orderId: string,
): Promise<Entry[]> => {
  const others = {
    where: 'order_id = $orderId AND number <> $order',
    values: { orderId, order },
    index: 'orders_by_id',
  }
  // Usually there are none. PostgreSQL takes much longer to plan the query with accounts.
  if ((await selectEntries(statements, others)).length === 0) return []
  return selectEntries(statements, {
    ...others,
    where: `${others.where} AND account IN (
      SELECT other.number FROM orders JOIN accounts AS own ON own.number = orders.account
      JOIN accounts AS other ON ${matchAccounts('other', 'own')}
      WHERE orders.number = $order)`,
  })
}

/** Also selects references that only look like this one. */
export const selectByFold = (account: AccountId, reference: string) => {
  const { where, values } = ofSameAccount(account)
  return {
    where: `reference_fold = $fold AND ${where}`,
    values: { ...values, fold: foldReference(reference) },
  }
}

/** Includes void orders. */
export const findAllByReference = async (
  statements: Statements,
  account: AccountId,
  reference: string,
): Promise<Entry[]> =>
  (await selectEntries(statements, selectByFold(account, reference))).filter((entry) =>
    isSameReference(entry.reference ?? '', reference),
  )

/**
 * Another order with this reference that is confirmed, or may still be. `known` is undefined for an order that is not in
 * the journal.
 */
export const findRival = async (
  statements: Statements,
  account: AccountId,
  reference: string,
  known?: Pick<Entry, 'number' | 'batch'>,
): Promise<Entry | undefined> => {
  const all = await findAllByReference(statements, account, reference)
  return all.find((other) => {
    if (other.number === known?.number || other.duplicate === 1) return false
    if (isUnprovenOrder(other)) return true
    // The order to confirm would not count against the cap of the batch, which buys the cards itself.
    if (known?.batch === undefined && other.batch !== undefined) return true
    if (!isHolding(other)) return false
    return other.standing === 'confirmed' || known === undefined || other.number > known.number
  })
}

/** The oldest first. */
export const listCalls = async ({ all }: Statements, order: number): Promise<Call[]> => {
  const rows = await all('SELECT * FROM calls WHERE order_number = $order ORDER BY number', { order })
  return rows.map((row) => fromRow<Call>(row, calls))
}

/**
 * Another process may still be waiting for the response to its create. If the create has ended since the order was read,
 * the order may hold its reference by now, so it also counts.
 */
export const isCreating = async (
  statements: Statements,
  { standing, number }: Entry,
  at: number,
): Promise<boolean> =>
  standing === 'creating' &&
  (await listCalls(statements, number)).some(
    (call) => call.outcome !== 'sending' || isPendingCreate(call, at),
  )
