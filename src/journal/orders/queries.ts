// Selects orders and calls, also within a transaction that locks them. The newest order comes first.
import type { AccountId } from '../../contract/account-id.ts'
import { assistantPrefix } from '../../contract/order-words.ts'
import { foldReference } from '../../contract/reference.ts'
import type { Access } from '../access.ts'
import { matchAccounts, ofSameAccount, readAccountCondition } from '../accounts.ts'
import { maxActors } from '../actors.ts'
import type { Statements, Values } from '../database/database.ts'
import { calls } from '../tables/orders.ts'
import { type Call, type Entry, hasReference, isPendingCreate } from './entry.ts'
import { fromRow } from './row.ts'
import { createdCondition, isHolding, isUnprovenOrder } from './standings.ts'

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
  more: Pick<Query, 'limit' | 'order' | 'isLocking'> = {},
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
export const findOthersById = async (statements: Statements, order: number, orderId: string) => {
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
export const findAllByReference = async (statements: Statements, account: AccountId, reference: string) =>
  (await selectEntries(statements, selectByFold(account, reference))).filter((entry) =>
    hasReference(entry, reference),
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
 * Another process may still be waiting for the response to its create. Without such a call, the order is read again: its
 * create may have ended since it was read, so that it holds its reference by now.
 */
export const isCreating = async (statements: Statements, { standing, number }: Entry, at: number) => {
  if (standing !== 'creating') return false
  if ((await listCalls(statements, number)).some((call) => isPendingCreate(call, at))) return true
  const now = await getOrder(statements, number)
  return now !== undefined && isHolding(now)
}

/**
 * Conditions on the rows of the user, for the last order and the last batch: in a shared journal, those of the same
 * database role and OS user, on any of their machines. The file of a machine has only rows of its user. */
const findOwn = ({ statements: { dialect }, identify }: Access) => {
  const isShared = dialect.name === 'postgres'
  return {
    isShared,
    /** The actors of the user. */
    actors: `(SELECT number FROM actors WHERE role = ${dialect.role} AND os_user = $osUser
      ORDER BY number DESC LIMIT ${maxActors})`,
    /** The user wrote the row. Another role may write one in the name of the user. */
    isWritten: `written_by = ${dialect.role}`,
    values: (isShared ? { osUser: identify().osUser } : {}) as Values,
  }
}

/** The newest order that was created with orderctl, or may have been. With `isAttempt`, also one that was not created. */
export const findLast = async (
  access: Access,
  account: AccountId,
  { isAttempt }: { readonly isAttempt: boolean },
): Promise<Entry | undefined> => {
  const { isShared, actors, isWritten, values } = findOwn(access)
  const where = `${await readAccountCondition(access.statements, account)}
    AND request IS NOT NULL AND placed_with IS NULL AND ${isAttempt ? 'TRUE' : createdCondition}`
  // One search in the index last_orders for each machine.
  const ofUser = `number = (SELECT max((SELECT number FROM orders WHERE actor = own.number AND ${isWritten} AND ${where}
    ORDER BY number + 0 DESC LIMIT 1)) FROM ${actors} AS own)`
  const [found] = await selectEntries(access.statements, {
    where: isShared ? ofUser : where,
    values,
    limit: 1,
  })
  return found
}

export const findLastBatchNumber = async (access: Access, condition: string, values: Values = {}) => {
  const own = findOwn(access)
  const isOwn = own.isShared ? `actor IN ${own.actors} AND ${own.isWritten}` : 'TRUE'
  const [found] = await access.statements.all(
    `SELECT number FROM batches WHERE ${condition} AND name NOT LIKE '${assistantPrefix}%' AND ${isOwn}
     ORDER BY number DESC LIMIT 1`,
    { ...values, ...own.values },
  )
  return found && Number(found.number)
}
