// Opens a PostgreSQL database: statements, transactions that run again after a conflict, and a pool behind them.
import type { QueryResult } from 'pg'
import type { Limits } from './connection.ts'
import { ConnectionLost, toFailure, UnknownCommit } from './failure.ts'
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

  const explainErrors = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      throw toFailure(error, address)
    }
  }

  const sendAlone = async (statement: Statement) => {
    for (let runs = 1; ; runs++) {
      try {
        const [, result] = await pool.use((connection) => connection.send([settings, statement]))
        return result as QueryResult
      } catch (error) {
        if (!(error instanceof ConnectionLost) || error.when === 'connecting') throw error
        pool.discardIdle()
        if (!/^\s*SELECT\b/i.test(statement.text)) throw new UnknownCommit(address.text, error)
        if (runs > 1 || error.isTimeout) throw error
      }
    }
  }
  const { all, run } = createStatements(sendAlone)

  const transaction: Postgres['transaction'] = async (work) => {
    for (let runs = 1; ; runs++) {
      try {
        return await pool.use((connection) =>
          runTransaction(connection, { settings, address: address.text }, work),
        )
      } catch (error) {
        const delay = findRetryDelay(error, runs, random)
        if (delay === undefined) throw error
        if (error instanceof ConnectionLost) pool.discardIdle()
        else await sleep(delay)
      }
    }
  }

  return {
    all: (sql, values) => explainErrors(all(sql, values)),
    run: (sql, values) => explainErrors(run(sql, values)),
    transaction: (work) => explainErrors(transaction(work)),
    close: async () => pool.close(),
  }
}
