// Opens a PostgreSQL database: statements, transactions that run again after a conflict, and a pool behind them.
import type { QueryResult } from 'pg'
import { Failure } from '../errors.ts'
import { toPostgresFailure } from './failure.ts'
import { type Connection, createPool, type Limits, type PoolOptions, type Statement } from './pool.ts'
import {
  createSettings,
  createStatements,
  findRetryDelay,
  groupByTurn,
  type PostgresStatements,
  runTransaction,
  type TransactionWork,
} from './transactions.ts'

export type PostgresOptions = Omit<PoolOptions, 'limits'> & {
  /** At least 0 and less than 1. */
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly limits?: Partial<Limits>
}

/** Outside of `transaction`, statements only read. Those of one turn are one transaction. */
export type Postgres = Pick<PostgresStatements, 'all'> & {
  /** Runs `work` again after a conflict with a different transaction, or if the connection is lost before COMMIT. */
  readonly transaction: <Result>(work: TransactionWork<Result>) => Promise<Result>
  /** Closes all connections at once. */
  readonly close: () => Promise<void>
}

const defaults = { connectMs: 10_000, statementMs: 30_000, lockMs: 10_000, idleMs: 10_000, connections: 8 }

/** Connects at the first statement. */
export const openPostgres = (options: PostgresOptions): Postgres => {
  const { address, random, sleep } = options
  const limits = { ...defaults, ...options.limits }
  const pool = createPool({ ...options, limits })
  const settings = createSettings(limits)

  const runAgain = async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
    for (let runs = 1; ; runs++) {
      try {
        return await pool.use(work)
      } catch (error) {
        const delay = findRetryDelay(error, runs, { random, connections: limits.connections })
        if (delay === undefined) throw toPostgresFailure(error, address)
        if (delay > 0) await sleep(delay)
      }
    }
  }

  const readAlone = (statement: Statement) =>
    runAgain(async (connection) => (await connection.send([settings, statement]))[1] as QueryResult)

  // If one fails, each is sent alone.
  const readTogether = groupByTurn(
    (send) => void send(),
    async (group) => {
      const statements = group.map(({ statement }) => statement)
      const results =
        group.length === 1
          ? undefined
          : await pool.use((connection) => connection.send([settings, ...statements])).catch(() => undefined)
      for (const [index, { statement, resolve, reject }] of group.entries()) {
        const result = results?.[index + 1]
        if (result === undefined) readAlone(statement).then(resolve, reject)
        else resolve(result)
      }
    },
  )

  return {
    all: createStatements(readTogether).all,
    transaction: (work) =>
      runAgain((connection) => runTransaction(connection, { settings, address: address.text }, work)),
    close: async () => pool.close(),
  }
}

const oldestVersion = 13

const serverQuery = `SELECT current_setting('server_version_num')::int8 / 10000 AS version,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_standby`

/** `address` is for messages. Needs one query. */
export const checkServer = async (
  { all }: Pick<PostgresStatements, 'all'>,
  address: string,
): Promise<void> => {
  const [row = {}] = await all(serverQuery)
  const refuseUnless = (isRight: boolean, what: string, advice: string): void => {
    if (!isRight) throw new Failure('local-state', `${address} ${what}`, { advice })
  }
  refuseUnless(
    Number(row.version) >= oldestVersion,
    `runs PostgreSQL ${row.version}`,
    `orderctl needs PostgreSQL ${oldestVersion} or later.`,
  )
  refuseUnless(row.is_standby === 0n, 'is a standby', 'Use the address of the primary server.')
  for (const name of ['fsync', 'full_page_writes'])
    refuseUnless(
      row[name] === 'on',
      `has ${name} = ${row[name]}, so a power failure can damage it`,
      `Set ${name} = on in postgresql.conf, and reload the server.`,
    )
  refuseUnless(
    row.encoding === 'UTF8',
    `has the encoding ${row.encoding}`,
    "Create a database with ENCODING 'UTF8' TEMPLATE template0.",
  )
}
