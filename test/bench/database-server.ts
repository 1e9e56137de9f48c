// A PostgreSQL server of its own for a benchmark, on a disk, with the defaults of PostgreSQL.
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { openSharedJournal } from '../../src/journal/shared-journal.ts'
import { optionsOf, testIdentity } from '../journal/journals.ts'
import { createDatabase, type TestDatabase } from '../support/postgres/database.ts'
import { startServer } from '../support/postgres/server.ts'
import { readChildrenCpuMs } from './processes.ts'

/** The tests change these to save time. */
const settings = [
  'shared_buffers = 128MB',
  'wal_level = replica',
  'checkpoint_timeout = 5min',
  'scram_iterations = 4096',
  'jit = on',
]

export const counters = ['cpuMs', 'transactions', 'commits', 'walBytes', 'diskBytes'] as const
export type Counters = Readonly<Record<(typeof counters)[number], number>>

/** PostgreSQL counts what a connection did when it ends. */
const waitForEnds = async (database: TestDatabase): Promise<void> => {
  const others = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
  while ((await database.admin(others)).length > 0) await delay(10)
}

/** `transactions` includes those that only read. `commits` are those that wrote: each has an id. */
const countersQuery = `
  SELECT xact_commit AS "transactions",
    CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT) AS "commits",
    pg_current_wal_lsn() - '0/0' AS "walBytes",
    (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) AS "diskBytes"
  FROM pg_stat_database WHERE datname = current_database()`

export const startDatabases = async () => {
  const server = await startServer({ settings, place: tmpdir() })
  const readCounters = async (database: TestDatabase): Promise<Counters> => {
    await waitForEnds(database)
    const [row = {}] = await database.admin(countersQuery)
    const values: Record<string, unknown> = { ...row, cpuMs: readChildrenCpuMs(server.pid()) }
    return Object.fromEntries(counters.map((name) => [name, Number(values[name])])) as Counters
  }
  return {
    create: (): Promise<TestDatabase> => createDatabase({ server: server.admin }),
    /** Returns a function that returns what an order has cost the database since then. */
    startCounting: async (database: TestDatabase) => {
      const before = await readCounters(database)
      return async (orders: number): Promise<Counters> => {
        const after = await readCounters(database)
        const perOrder = counters.map((name) => [name, (after[name] - before[name]) / orders])
        return Object.fromEntries(perOrder)
      }
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

/** The variables of a process whose journal is this database. */
export const journalIn = (database: TestDatabase) => ({
  ORDERCTL_JOURNAL: database.address(),
  PGPASSWORD: database.password,
})

export const openDatabase = (database: TestDatabase) =>
  openSharedJournal({ ...optionsOf(database.address()), identify: () => testIdentity })
