// Reads the newest orders and batches for completion, from any database of the journal. Reads a file without opening it
// for writing. Throws if it does not exist.
import type { DatabaseSync } from 'node:sqlite'
import { sandboxAddress } from '../contract/account-id.ts'
import { openForReading, readDatabase, readUntouched } from '../sqlite/open.ts'
import type { Access } from './access.ts'
import { readAccountCondition } from './accounts.ts'
import { findOwn } from './actors.ts'
import type { Dialect, Row } from './database/database.ts'
import type { Entry, Owner } from './orders/entry.ts'
import { fromRow } from './orders/row.ts'
import { batches } from './tables/batches.ts'
import { schema, versions } from './tables/list.ts'
import type { RowOf } from './tables/table.ts'

/** The part of an access that these queries need, so that the TAB key loads little. */
export type Reader = Pick<Access, 'all' | 'identify'> & { readonly dialect: Pick<Dialect, 'name' | 'role'> }

export const readFromFile = async <Result>(
  file: string,
  identify: Reader['identify'],
  read: (reader: Reader) => Promise<Result>,
): Promise<Result> => {
  using opened = openForReading(file, schema)
  const all: Reader['all'] = async (sql, values = {}) => opened.prepare(sql).all(values)
  return await read({ all, identify, dialect: { name: 'sqlite', role: 'NULL' } })
}

/** The rows of an account, or as `list` selects them: of one profile name at any address, or all. */
export type Selection = Pick<Owner, 'account'> | { readonly profile: string | undefined }

/** `isOwn` is SQL: this user has written the row. Finds nothing in a shared journal of a different version. */
const selectNewest = async (
  access: Reader,
  selection: Selection,
  sql: (where: string, isOwn: string) => string,
): Promise<Row[]> => {
  const { isShared, isOwn, values } = findOwn(access)
  const profile = 'account' in selection ? undefined : selection.profile
  const conditions = [
    isShared && `EXISTS (SELECT 1 FROM orderctl_journal WHERE version = ${versions.postgres})`,
    'account' in selection && (await readAccountCondition(access, selection.account)),
    profile !== undefined && 'profile = $profile',
    'TRUE',
  ]
  return access.all(sql(conditions.filter(Boolean).join(' AND '), `coalesce(${isOwn}, false)`), {
    ...values,
    ...(profile === undefined ? {} : { profile }),
  })
}

const selectOrders =
  (columns: string, limit: number, offset = 0) =>
  (where: string, isOwn: string) =>
    `SELECT ${columns}, request IS NOT NULL AND ${isOwn} AS is_own FROM orders
     WHERE ${where} ORDER BY placed_at DESC, number DESC LIMIT ${limit} OFFSET ${offset}`

export type RecentOrder = Pick<
  Entry,
  'orderId' | 'reference' | 'standing' | 'voidReason' | 'result' | 'state' | 'placedAt'
> & {
  /** This user has placed it. */
  readonly isOwn: 0 | 1
}
const orderColumns = 'order_id, reference, standing, void_reason, result, state, placed_at'

/** The TAB key must respond at once, and most completions need few orders. A request may be long. */
const [firstOrders, maxOrders] = [200, 2_000]

/** Newest first. */
export async function* readNewestOrders(access: Reader, selection: Selection): AsyncGenerator<RecentOrder> {
  for (const [limit, offset] of [[firstOrders], [maxOrders - firstOrders, firstOrders]] as const) {
    const rows = await selectNewest(access, selection, selectOrders(orderColumns, limit, offset))
    yield* rows.values().map((row) => fromRow<RecentOrder>(row))
    if (rows.length < limit) return
  }
}

type RecentRequest = RecentOrder & Pick<Entry, 'request' | 'wallet'>

export const readNewestRequests = async (access: Reader, selection: Selection) => {
  const sql = selectOrders(`${orderColumns}, request, wallet`, firstOrders)
  const rows = await selectNewest(access, selection, sql)
  return rows.map((row) => fromRow<RecentRequest>(row))
}

export type RecentBatch = Pick<
  RowOf<typeof batches>,
  'name' | 'id' | 'plannedAt' | 'startedAt' | 'cancelledAt' | 'stopped' | 'columns'
> & {
  /** This user has planned it. */
  readonly isOwn: 0 | 1
  /** The alphabetically first and last state of its cards. Undefined if the batch is not started, cancelled or large. */
  readonly cardStates?: string
}

/** Reading the states of more cards takes too long. */
const maxCards = 1_000

const selectBatches = (where: string, isOwn: string): string =>
  `SELECT name, id, columns, planned_at, started_at, cancelled_at, stopped, ${isOwn} AS is_own,
     CASE WHEN started_at IS NOT NULL AND cancelled_at IS NULL
         AND (SELECT max(card) FROM batch_cards WHERE batch = batches.number) < ${maxCards}
       THEN (SELECT min(state) || ' ' || max(state) FROM batch_cards WHERE batch = batches.number) END AS card_states
   FROM batches
   WHERE ${where} ORDER BY number DESC LIMIT 100`

/** Newest first. */
export const readNewestBatches = async (access: Reader, selection: Selection) =>
  (await selectNewest(access, selection, selectBatches)).map((row) => fromRow<RecentBatch>(row, batches))

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
