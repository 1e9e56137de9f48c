// Opens a PostgreSQL database: statements, transactions that run again after a conflict, and a pool behind them.
import { Failure } from '../errors.ts'
import type { Address } from './address.ts'
import { type Connection, connect, type Limits } from './connection.ts'
import { toFailure } from './failure.ts'
import { ConnectionLost, UnknownCommit } from './lost-connection.ts'
import { lookUpPassword, type PasswordSources } from './password.ts'
import { createPool } from './pool.ts'
import { findRetryDelay } from './retry.ts'
import { createTlsOptions } from './tls.ts'
import { createStatements, runTransaction, type Statements } from './transactions.ts'

export type PostgresOptions = PasswordSources & {
  readonly address: Address
  /** Asks a person or a command for the password. Called at most once, if the server wants one and none is found. */
  readonly askPassword?: () => Promise<string | undefined>
  /** At least 0 and less than 1. */
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly limits?: Partial<Limits & { readonly lockMs: number; readonly connections: number }>
}

/** Outside of `transaction`, each statement is a transaction of its own. */
export type Postgres = Statements & {
  /** Runs `work` again after a conflict with another transaction, or if the connection is lost before COMMIT. */
  readonly transaction: <Result>(work: (statements: Statements) => Promise<Result>) => Promise<Result>
  /** Closes all connections at once. */
  readonly close: () => Promise<void>
}

const defaults = { connectMs: 10_000, statementMs: 30_000, lockMs: 10_000, connections: 8 }

/** Connects at the first statement. */
export const openPostgres = (options: PostgresOptions): Postgres => {
  const { address, random, sleep } = options
  const limits = { ...defaults, ...options.limits }
  const pool = createPool(createConnector(options, limits), limits.connections)
  const settings = createSettings(limits)

  const runOnce = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      throw toFailure(error, address.text)
    }
  }

  const sendAlone: Parameters<typeof createStatements>[0] = async (statement) => {
    for (let runs = 1; ; runs++) {
      try {
        return await pool.use((connection) => connection.send(statement, [settings]))
      } catch (error) {
        if (!(error instanceof ConnectionLost) || error.when === 'connecting') throw error
        pool.discardIdle()
        if (!/^\s*SELECT\b/i.test(statement.text)) throw new UnknownCommit(address.text, error)
        if (runs > 1 || error.isTimeout) throw error
      }
    }
  }
  const alone = createStatements(sendAlone)

  const transaction: Postgres['transaction'] = async (work) => {
    for (let runs = 1; ; runs++) {
      try {
        return await pool.use((connection) => runTransaction(connection, settings, address.text, work))
      } catch (error) {
        const delay = findRetryDelay(error, runs, random)
        if (delay === undefined) throw error
        if (error instanceof ConnectionLost) pool.discardIdle()
        else await sleep(delay)
      }
    }
  }

  return {
    all: (sql, values) => runOnce(() => alone.all(sql, values)),
    run: (sql, values) => runOnce(() => alone.run(sql, values)),
    transaction: (work) => runOnce(() => transaction(work)),
    close: async () => pool.close(),
  }
}

/** PgBouncer does not keep the settings of a session, so each transaction makes its own. */
const createSettings = ({ statementMs, lockMs }: { statementMs: number; lockMs: number }): string => {
  const settings = {
    synchronous_commit: 'on',
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
  }
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `SELECT ${calls.join(', ')}`
}

const createConnector = (options: PostgresOptions, limits: Limits): (() => Promise<Connection>) => {
  const { address, askPassword } = options
  const tls = createTlsOptions(address)
  let asked: Promise<string | undefined> | undefined

  const tryConnect = async (password: string | undefined): Promise<Connection | undefined> => {
    let isMissing = false
    const givePassword = async () => {
      const found = password ?? lookUpPassword(address, options)
      isMissing = found === undefined
      if (found === undefined) throw new Error('the server asks for a password')
      return found
    }
    try {
      return await connect({ address, tls, password: givePassword, limits })
    } catch (error) {
      if (isMissing) return undefined
      throw error
    }
  }

  return async () => {
    const connection = await tryConnect(await asked)
    if (connection !== undefined) return connection
    // Asking may take longer than the server waits for an answer.
    asked ??= askPassword?.() ?? Promise.resolve(undefined)
    const password = await asked
    const second = password === undefined ? undefined : await tryConnect(password)
    if (second !== undefined) return second
    throw new Failure('local-state', `cannot connect to ${address.text}: the server asks for a password`, {
      fix: 'Put the password into ~/.pgpass, with mode 0600, or into PGPASSWORD.',
    })
  }
}
