// Opens a PostgreSQL database: statements, transactions that run again after a conflict, and a pool behind them.
import type { QueryResult } from 'pg'
import type { Connection, Limits } from './connection.ts'
import { ConnectionLost, isConnectionLost, toFailure, UnknownCommit } from './failure.ts'
import { createPool, type PoolOptions } from './pool.ts'
import {
  createSettings,
  createStatements,
  findRetryDelay,
  runTransaction,
  type Statements,
} from './transactions.ts'
import type { Statement } from './values.ts'

export type PostgresOptions = Omit<PoolOptions, 'limits'> & {
  /** At least 0 and less than 1. */
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly limits?: Partial<Limits>
}

/** Outside of `transaction`, each statement is a transaction of its own. */
export type Postgres = Statements & {
  /** Runs `work` again after a conflict with another transaction, or if the connection is lost before COMMIT. */
  readonly transaction: <Result>(work: (statements: Statements) => Promise<Result>) => Promise<Result>
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
        if (isConnectionLost(error)) pool.discardIdle()
        const delay = findRetryDelay(error, runs, random)
        if (delay === undefined) throw toFailure(error, address)
        if (delay > 0) await sleep(delay)
      }
    }
  }

  const sendAlone = (statement: Statement) =>
    runAgain(async (connection) => {
      try {
        const [, result] = await connection.send([settings, statement])
        return result as QueryResult
      } catch (error) {
        const mayHaveWritten = error instanceof ConnectionLost && !/^\s*SELECT\b/i.test(statement.text)
        throw mayHaveWritten ? new UnknownCommit(address.text, error) : error
      }
    })

  return {
    ...createStatements(sendAlone),
    transaction: (work) =>
      runAgain((connection) => runTransaction(connection, { settings, address: address.text }, work)),
    close: async () => pool.close(),
  }
}
