// What PostgreSQL counts about a database, before and after a benchmark.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '../../support/postgres/database.ts'
import { renderTable, whole } from '../table.ts'

export type Counters = {
  /** Includes transactions that only read. */
  readonly transactions: number
  /** Transactions that wrote: each has an id. */
  readonly commits: number
  readonly walBytes: number
  /** Of the write-ahead log. A sync can serve several commits. */
  readonly syncs: number
  /** Of all tables with their indexes. */
  readonly bytes: number
}

/** The server counts what a connection did when it ends. */
const waitForEnds = async (database: TestDatabase): Promise<void> => {
  for (;;) {
    const [row] = await database.admin(
      `SELECT count(*) AS count FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    if (Number(row?.count) === 0) return
    await sleep(10)
  }
}

export const readCounters = async (database: TestDatabase): Promise<Counters> => {
  await waitForEnds(database)
  const [row] = await database.admin(
    `SELECT xact_commit AS "transactions",
       CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT) AS "commits",
       pg_current_wal_lsn() - '0/0' AS "walBytes",
       (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS "syncs",
       (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) AS "bytes"
     FROM pg_stat_database WHERE datname = current_database()`,
  )
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]),
  ) as Counters
}

/** The differences, divided by the number of orders. */
export const countPerOrder = (before: Counters, after: Counters, orders: number): Counters =>
  Object.fromEntries(
    (Object.keys(after) as (keyof Counters)[]).map((name) => [name, (after[name] - before[name]) / orders]),
  ) as Counters

export const renderCounters = (title: string, rows: readonly (readonly [string, Counters])[]): string =>
  renderTable([
    [title, 'transactions', 'commits', 'WAL syncs', 'WAL bytes', 'bytes on disk'],
    ...rows.map(([name, { transactions, commits, syncs, walBytes, bytes }]) => [
      name,
      ...[transactions, commits, syncs].map((each) => each.toFixed(1)),
      ...[walBytes, bytes].map(whole),
    ]),
  ])

/** What a batch wrote to each table, and the size of the table with its indexes. By size. */
export const renderTables = async (database: TestDatabase, orders: number): Promise<string> => {
  const rows = await database.admin(
    `SELECT relname AS name, pg_total_relation_size(relid) AS bytes,
       n_tup_ins AS inserted, n_tup_upd AS updated, n_tup_hot_upd AS hot, n_tup_del AS deleted
     FROM pg_stat_user_tables WHERE n_tup_ins >= $1 ORDER BY bytes DESC`,
    [orders],
  )
  const perOrder = (value: unknown): string => (Number(value) / orders).toFixed(1)
  return renderTable([
    ['per order, by table', 'rows inserted', 'updated', 'without an index', 'deleted', 'bytes on disk'],
    ...rows.map(({ name, inserted, updated, hot, deleted, bytes }) => [
      String(name),
      ...[inserted, updated, hot, deleted].map(perOrder),
      whole(Number(bytes) / orders),
    ]),
  ])
}
