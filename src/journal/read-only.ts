// Reads a journal without opening it for writing. Throws if the journal does not exist.
import type { DatabaseSync } from 'node:sqlite'
import { type AccountId, sandboxAddress } from '../contract/account-id.ts'
import { readDatabase } from '../sqlite/open.ts'
import { accountNumbersQuery, createAccountCondition } from './accounts.ts'
import { actorNamesQuery } from './actors/actor-names.ts'
import type { Batch } from './batches/batch.ts'
import type { Entry, Owner } from './entry.ts'
import { fromRow } from './row.ts'
import { schema } from './schema.ts'

// The TAB key must answer at once.
const maxOrders = 2_000

export type RecentOrder = Pick<Entry, 'orderId' | 'reference' | 'state' | 'placedAt'> & {
  readonly isOwn: 0 | 1
}
const orderColumns = 'order_id, reference, standing, placed_at, request IS NOT NULL AS is_own'

/** Receives the rows one by one and may stop early, because most completions need few of them. */
type ReadRows<Row, Result> = (rows: Iterable<Row>) => Result[]

/** The newest orders of an account, newest first. */
export const readNewestOrders = <Result>(
  file: string,
  owner: Owner,
  use: ReadRows<RecentOrder, Result>,
): Result[] => select(file, selectByOwner(owner), orderColumns, maxOrders, use)

/** Selects as `list` does: all accounts, or those of one profile name at any address. */
export const readNewestListed = <Result>(
  file: string,
  profile: string | undefined,
  use: ReadRows<RecentOrder, Result>,
): Result[] =>
  select(
    file,
    profile === undefined
      ? { where: 'TRUE', values: {} }
      : { where: 'profile = $profile', values: { profile } },
    orderColumns,
    maxOrders,
    use,
  )

/** Reads fewer orders than readNewestOrders, because a request may be long. */
export const readNewestRequests = (file: string, owner: Owner): RecentRequest[] => {
  const all: ReadRows<RecentRequest, RecentRequest> = (rows) => [...rows]
  return select(
    file,
    selectByOwner(owner),
    'order_id, reference, request, wallet, placed_at',
    maxOrders / 10,
    all,
  )
}

export type RecentBatch = Pick<Batch, 'name' | 'id' | 'plannedAt'> & {
  readonly startedAt: number | undefined
  readonly cancelledAt: number | undefined
  readonly isStopped: boolean
  /** As JSON. */
  readonly columns: string
}

const maxBatches = 100

/** Those of an account, or as `list` selects them: of one profile name, or of all. Newest first. */
export const readNewestBatches = (file: string, of: Owner | string | undefined): RecentBatch[] =>
  readDatabase(file, schema, (database) => {
    const isProfile = typeof of === 'string'
    const where = isProfile
      ? 'profile = $profile'
      : of === undefined
        ? 'TRUE'
        : readAccountCondition(database, of.account)
    return database
      .prepare(
        `SELECT name, id, columns, planned_at, started_at, cancelled_at, stopped FROM batches
         WHERE ${where} ORDER BY number DESC LIMIT ${maxBatches}`,
      )
      .all(isProfile ? { profile: of } : {})
      .map(readRecentBatch)
  })

const toTime = (value: unknown): number | undefined => (value === null ? undefined : Number(value))

const readRecentBatch = (row: Readonly<Record<string, unknown>>): RecentBatch => ({
  ...{ name: String(row.name), id: String(row.id), columns: String(row.columns) },
  plannedAt: Number(row.planned_at),
  ...{ startedAt: toTime(row.started_at), cancelledAt: toTime(row.cancelled_at) },
  isStopped: row.stopped !== null,
})

/** Database roles and OS users, each once. */
export const readActorNames = (file: string, limit: number): string[] =>
  readDatabase(file, schema, (database) =>
    database
      .prepare(`${actorNamesQuery} LIMIT ${limit}`)
      .all()
      .map(({ name }) => String(name)),
  )

/** Whether the journal has an account other than the sandbox. */
export const hasServiceAccount = (file: string): boolean =>
  readDatabase(file, schema, (database) => {
    const found = database.prepare('SELECT 1 FROM accounts WHERE address <> ? LIMIT 1').get(sandboxAddress)
    return found !== undefined
  })

type RecentRequest = Pick<Entry, 'orderId' | 'reference' | 'request' | 'wallet' | 'placedAt'>

type Selection = { readonly where: string; readonly values: Record<string, string> } | Pick<Owner, 'account'>

const selectByOwner = ({ account }: Owner): Selection => ({ account })

const select = <Row, Result>(
  file: string,
  selection: Selection,
  columns: string,
  limit: number,
  use: ReadRows<Row, Result>,
): Result[] =>
  readDatabase(file, schema, (database) => {
    const { where, values } =
      'account' in selection
        ? { where: readAccountCondition(database, selection.account), values: {} }
        : selection
    const rows = database
      .prepare(
        `SELECT ${columns} FROM orders WHERE ${where} ORDER BY placed_at DESC, number DESC LIMIT ${limit}`,
      )
      .iterate(values)
    return use(rows.map((row) => fromRow<Row>(row)))
  })

const readAccountCondition = (database: DatabaseSync, { address, name }: AccountId): string =>
  createAccountCondition(database.prepare(accountNumbersQuery).all({ address, name: name ?? null }))
