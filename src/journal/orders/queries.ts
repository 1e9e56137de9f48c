// Finds orders and their calls, also within a transaction that locks them. The newest order comes first.
import type { AccountId } from '../../contract/account-id.ts'
import { assistantPrefix, foldReference, isSameReference } from '../../contract/order/reference.ts'
import type { Access, WriteAccess } from '../access.ts'
import { matchAccounts, ofSameAccount, readAccountCondition } from '../accounts.ts'
import { findOwn } from '../actors.ts'
import type { Values } from '../database/database.ts'
import { calls, orders } from '../tables/orders.ts'
import { type Call, type Damage, type Entry, hasReference, isPendingCreate, type Owner } from './entry.ts'
import { selectRows } from './row.ts'
import { isHolding, isNeverCreated, isUnprovenOrder, unsettledCondition } from './standings.ts'

export type Query = {
  readonly where: string
  readonly values?: Values
  readonly index?: string | undefined
  readonly order?: string
  readonly limit?: number | undefined
}

export const selectEntries = (access: Access, query: Query): Promise<Entry[]> =>
  selectRows(access, orders, writeQuery(access, query), query.values)

/** An order that is locked until the end of the transaction, and the time by the database's clock. */
export type Locked = Entry & Damage & { readonly databaseNow: number }

/** Call it within a transaction. In SQLite, that locks all orders. */
const selectLocked = (access: WriteAccess, query: Query): Promise<Locked[]> => {
  const { forUpdate, now } = access.dialect
  const sql = `${writeQuery(access, query, `, ${now} AS database_now`)} ${forUpdate}`
  return selectRows<Locked>(access, orders, sql, query.values)
}

/** Not `*`: the conditions would be computed for each row. */
const columns = Object.keys(orders.columns).filter((name) => name !== 'written_by')

const writeQuery = (
  { dialect }: Access,
  { where, index, order = 'number DESC', limit }: Query,
  more = '',
): string =>
  `SELECT ${columns.join(', ')}, ${dialect.writtenBy}${more} FROM orders ${index === undefined ? '' : dialect.indexedBy(index)}
    WHERE ${where} ORDER BY ${order} ${limit === undefined ? '' : `LIMIT ${limit}`}`

const byNumber = (number: number): Query => ({ where: 'number = $number', values: { number } })

export const getOrder = async (access: Access, number: number): Promise<Entry | undefined> =>
  (await selectEntries(access, byNumber(number)))[0]

/** Returns the order as it is now. */
export const readLocked = async (access: WriteAccess, number: number): Promise<Locked | undefined> =>
  (await selectLocked(access, byNumber(number)))[0]

const byId = (account: AccountId, orderId: string): Query => {
  const { where, values } = ofSameAccount(account)
  return {
    where: `order_id = $orderId AND ${where}`,
    values: { ...values, orderId },
    // On its own, SQLite reads all orders of the account.
    index: 'orders_by_id',
  }
}

/** Returns several orders if the service used an id twice. */
export const findById = (
  access: Access,
  account: AccountId,
  orderId: string,
  more: Pick<Query, 'limit' | 'order'> = {},
): Promise<Entry[]> => selectEntries(access, { ...byId(account, orderId), ...more })

export const lockById = (access: WriteAccess, account: AccountId, orderId: string): Promise<Locked[]> =>
  selectLocked(access, byId(account, orderId))

/** An order whose id belongs to a different order comes last. */
const ownFirst = "NOT holds AND void_reason = 'stranger', number DESC"

type OfAccount = Pick<Owner, 'account'>

/** Returns the newest, if the service used the id twice. */
export const findOrderById = async (access: Access, { account }: OfAccount, orderId: string) =>
  (await findById(access, account, orderId, { limit: 1, order: ownFirst }))[0]

/** Returns several, if the service used the id twice, or a response to create was repeated. */
export const findAllById = (access: Access, { account }: OfAccount, orderId: string) =>
  findById(access, account, orderId, { order: ownFirst })

export const findOrdersOnAnyAccount = (access: Access, orderId: string): Promise<Entry[]> =>
  selectEntries(access, { where: 'order_id = $orderId', values: { orderId } })

const selectOf = async (access: Access, account: AccountId, condition: string, more?: Partial<Query>) =>
  selectEntries(access, {
    ...more,
    where: `${await readAccountCondition(access, account)} AND ${condition}`,
  })

export const findNewest = (access: Access, { account }: OfAccount, limit: number) =>
  selectOf(access, account, 'TRUE', { order: 'placed_at DESC, number DESC', limit })

/** A confirm may have spent, or may still spend. */
export const findUnproven = (access: Access, account: AccountId) => selectOf(access, account, 'unproven')

/** Orders that reconcile checks or reports. */
export const findUnsettled = (access: Access, { account }: OfAccount) =>
  selectOf(access, account, unsettledCondition, { index: 'unsettled_by_account' })

/** Other orders of the same account with this id. */
export const findOthersById = async (access: Access, order: number, orderId: string) => {
  const others = {
    where: 'order_id = $orderId AND number <> $order',
    values: { orderId, order },
    index: 'orders_by_id',
  }
  // Usually there are none. PostgreSQL takes much longer to plan the query with accounts.
  if ((await selectEntries(access, others)).length === 0) return []
  return selectEntries(access, {
    ...others,
    where: `${others.where} AND account IN (
      SELECT other.number FROM orders JOIN accounts AS own ON own.number = orders.account
      JOIN accounts AS other ON ${matchAccounts('other', 'own')}
      WHERE orders.number = $order)`,
  })
}

/** Also selects references that only look like this one. */
const selectByFold = (account: AccountId, reference: string) => {
  const { where, values } = ofSameAccount(account)
  return {
    where: `reference_fold = $fold AND ${where}`,
    values: { ...values, fold: foldReference(reference) },
  }
}

/** Includes void orders. */
export const findAllByReference = async (access: Access, account: AccountId, reference: string) =>
  (await selectEntries(access, selectByFold(account, reference))).filter((entry) =>
    hasReference(entry, reference),
  )

/** Orders that were created, or may have been. */
export const findByReference = async (access: Access, { account }: OfAccount, reference: string) =>
  (await findAllByReference(access, account, reference)).filter((entry) => !isNeverCreated(entry))

/** References in use that differ from this one only in case, spaces or invisible characters. */
export const findSimilarReferences = async (access: Access, account: AccountId, reference: string) => {
  const { where, values } = selectByFold(account, reference)
  const holders = await selectEntries(access, { where: `${where} AND holds`, values })
  const similar = holders.flatMap((entry) => entry.reference ?? [])
  return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
}

/**
 * A different order with this reference that is confirmed, or may still be. `known` is undefined for an order that is
 * not in the journal.
 */
export const findRival = async (
  access: Access,
  account: AccountId,
  reference: string,
  known?: Pick<Entry, 'number' | 'batch'>,
): Promise<Entry | undefined> => {
  const all = await findAllByReference(access, account, reference)
  return all.find((other) => {
    if (other.number === known?.number || other.duplicate === 1) return false
    if (isUnprovenOrder(other)) return true
    // The order to confirm would not count against the batch's cap, which buys the cards itself.
    if (known?.batch === undefined && other.batch !== undefined) return true
    if (!isHolding(other)) return false
    return other.standing === 'confirmed' || known === undefined || other.number > known.number
  })
}

/** The oldest first. */
export const listCalls = (access: Access, order: number): Promise<Call[]> =>
  selectRows(access, calls, 'SELECT * FROM calls WHERE order_number = $order ORDER BY number', { order })

/**
 * A different process may still be waiting for the response to its create. Without such a call, the order is read
 * again. Its create may have ended since, so that the order holds its reference by now.
 */
export const isCreating = async (access: Access, { standing, number }: Entry, at: number) => {
  if (standing !== 'creating') return false
  if ((await listCalls(access, number)).some((call) => isPendingCreate(call, at))) return true
  const now = await getOrder(access, number)
  return now !== undefined && isHolding(now)
}

/**
 * The newest order that was created with orderctl, or may have been. In a shared journal, by the same user. With
 * `isAttempt`, also an order that was refused or never sent.
 */
export const findLast = async (access: Access, account: AccountId, { isAttempt = false } = {}) => {
  const { isShared, actors, isWritten, values } = findOwn(access)
  const where = `${await readAccountCondition(access, account)}
    AND request IS NOT NULL AND placed_with IS NULL AND ${isAttempt ? 'TRUE' : 'NOT attempt'}`
  // One search in the index last_orders for each machine.
  const ofUser = `number = (SELECT max((SELECT number FROM orders WHERE actor = own.number AND ${isWritten} AND ${where}
    ORDER BY number + 0 DESC LIMIT 1)) FROM ${actors} AS own)`
  const [found] = await selectEntries(access, {
    where: isShared ? ofUser : where,
    values,
    limit: 1,
  })
  return found
}

export const findLastBatchNumber = async (access: Access, condition: string, values: Values = {}) => {
  const { isOwn, values: own } = findOwn(access)
  const [found] = await access.all(
    `SELECT number FROM batches WHERE ${condition} AND name NOT LIKE '${assistantPrefix}%' AND ${isOwn}
     ORDER BY number DESC LIMIT 1`,
    { ...values, ...own },
  )
  return found && Number(found.number)
}
