// Reads the newest orders and batches of an account for completion, from any database of the journal. Reads a file
// without opening it for writing. Throws if it does not exist.

import type { DatabaseSync } from 'node:sqlite'
import { sandboxAddress } from '../contract/account-id.ts'
import { lastWord } from '../contract/order/reference.ts'
import { openForReading, readDatabase, readUntouched } from '../sqlite/open.ts'
import type { Access } from './access.ts'
import { findOwn, readAccountCondition } from './accounts.ts'
import type { Dialect } from './database/database.ts'
import { type Entry, fromRow, type Owner } from './orders/entries.ts'
import { batches } from './tables/batches.ts'
import { schema, versions } from './tables/list.ts'
import type { RowOf } from './tables/table.ts'

/** The account whose rows are read, and the part of an access that is needed, so that the TAB key loads little. */
export type Reader = Pick<Access, 'all' | 'identify'> &
  Pick<Owner, 'account'> & { readonly dialect: Pick<Dialect, 'name' | 'role'> }

export const readFromFile = async <Result>(
  file: string,
  owner: Pick<Reader, 'account' | 'identify'>,
  read: (reader: Reader) => Promise<Result>,
): Promise<Result> => {
  using opened = openForReading(file, schema)
  const all: Reader['all'] = async (sql, values = {}) => opened.prepare(sql).all(values)
  return await read({ ...owner, all, dialect: { name: 'sqlite', role: 'NULL' } })
}

/** SQL: the rows of the account, none in a shared journal of a different version, and whether this user has written a row. */
const findScope = async (reader: Reader) => {
  const { isShared, isOwn, values } = findOwn(reader)
  const version = `EXISTS (SELECT 1 FROM orderctl_journal WHERE version = ${versions.postgres})`
  const where = `${isShared ? version : 'TRUE'} AND ${await readAccountCondition(reader, reader.account)}`
  return { where, isOwn: `coalesce(${isOwn}, false)`, values }
}

/** This user has written the row. */
type Own = { readonly isOwn: 0 | 1 }

export type RecentOrder = Pick<
  Entry,
  'orderId' | 'reference' | 'standing' | 'voidReason' | 'result' | 'state' | 'placedAt' | 'request' | 'wallet'
> &
  Own

/** The TAB key must respond at once. */
const [maxRows, maxSearched] = [200, 2_000]

/**
 * Newest first: the orders whose id or `ref:REFERENCE` begins with `prefix`. A prefix of `@last` selects all. A request
 * may be long, so it is read only if it is needed. `isAll`: more of them, because the caller uses few.
 */
export const readNewestOrders = async (
  reader: Reader,
  prefix: string,
  { hasRequest = false, isAll = false } = {},
) => {
  const { where, isOwn, values } = await findScope(reader)
  const begins = (column: string): string => `substr(${column}, 1, length($prefix)) = $prefix`
  const rows = await reader.all(
    `SELECT * FROM (
       SELECT order_id, reference, standing, void_reason, result, state, placed_at,
         request IS NOT NULL AND ${isOwn} AS is_own${hasRequest ? ', request, wallet' : ''}
       FROM orders WHERE ${where} ORDER BY placed_at DESC, number DESC LIMIT ${maxSearched}) AS newest
     WHERE ${begins('order_id')} OR ${begins("'ref:' || reference")} LIMIT ${isAll ? maxSearched : maxRows}`,
    { ...values, prefix: lastWord.startsWith(prefix) ? '' : prefix },
  )
  return rows.map((row) => fromRow<RecentOrder>(row))
}

export type RecentBatch = Own &
  Pick<RowOf<typeof batches>, 'name' | 'plannedAt' | 'startedAt' | 'cancelledAt' | 'columns'>

/** Newest first. */
export const readNewestBatches = async (reader: Reader) => {
  const { where, isOwn, values } = await findScope(reader)
  const rows = await reader.all(
    `SELECT name, columns, planned_at, started_at, cancelled_at, ${isOwn} AS is_own
     FROM batches WHERE ${where} ORDER BY number DESC LIMIT ${maxRows}`,
    values,
  )
  return rows.map((row) => fromRow<RecentBatch>(row, batches))
}

/**
 * Whether the journal contains an order of an account other than the sandbox. Reading an order also adds its account. A
 * request that never left this machine does not count.
 * It opens the file as immutable, which takes half as long.
 */
export const hasServiceAccount = (file: string, leavesNoTrace: boolean): boolean => {
  const query = `SELECT 1 FROM accounts WHERE address <> ?
    AND EXISTS (SELECT 1 FROM orders WHERE account = accounts.number
      AND coalesce(void_reason, '') <> 'not-sent') LIMIT 1`
  const find = (database: DatabaseSync): boolean => database.prepare(query).get(sandboxAddress) !== undefined
  const found = readUntouched(file, schema, find)
  return found ?? (!leavesNoTrace && readDatabase(file, schema, find))
}
