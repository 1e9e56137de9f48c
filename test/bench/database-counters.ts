// What PostgreSQL counts about a database, before and after a benchmark.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '../support/postgres/database.ts'
import { renderTable, whole } from './table.ts'

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
