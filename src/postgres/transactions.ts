// Runs one transaction on one connection, and decides whether it runs again after an error.
import type { Connection, Limits } from './connection.ts'
import { ConnectionLost, isServerError, UnknownCommit } from './failure.ts'
import { bindParameters, type Statement, type Values } from './values.ts'

type Row = Readonly<Record<string, unknown>>

export type Statements = {
  readonly all: (sql: string, values?: Values) => Promise<Row[]>
  /** Returns the number of rows that it changed. */
  readonly run: (sql: string, values?: Values) => Promise<number>
}

type Send = (statement: Statement) => Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>

export const createStatements = (send: Send): Statements => ({
  all: async (sql, values) => (await send(bindParameters(sql, values))).rows,
  run: async (sql, values) => (await send(bindParameters(sql, values))).rowCount ?? 0,
})

/** PgBouncer does not keep the settings of a session, so each transaction makes its own. */
export const createSettings = ({ statementMs, lockMs, idleMs }: Limits): string => {
  const settings = Object.entries({
    synchronous_commit: 'on',
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleMs,
  })
  return `SELECT ${settings.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`
}

/** Precedes a statement that is sent before the response to BEGIN: fails outside of a transaction, and changes nothing. */
const requireTransaction = ['SAVEPOINT begun', 'RELEASE begun']

/** BEGIN and the settings travel with the first statement of the work. */
export const runTransaction = async <Result>(
  connection: Connection,
  { settings, address }: { readonly settings: string; readonly address: string },
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> => {
  let hasSent = false
  let hasBegun = false
  let firstError: unknown
  let hasEnded = false
  const send: Send = async (statement) => {
    if (hasEnded) throw new Error('the transaction has ended')
    // If BEGIN failed, the next statement would be a transaction of its own.
    const before = hasSent ? requireTransaction : ['BEGIN ISOLATION LEVEL READ COMMITTED', settings]
    hasSent = true
    try {
      const result = await connection.send(statement, hasBegun ? [] : before)
      hasBegun = true
      return result
    } catch (error) {
      firstError ??= error
      throw error
    }
  }
  try {
    const result = await work(createStatements(send))
    // The work may have ignored an error, but the transaction cannot be committed.
    if (firstError !== undefined) throw firstError
    hasEnded = true
    if (hasSent) await commit(connection, address)
    return result
  } catch (error) {
    hasEnded = true
    if (hasSent) await rollBack(connection)
    // After an error, PostgreSQL refuses each later statement with 25P02.
    throw isServerError(error) && error.code === '25P02' ? firstError : error
  }
}

const commit = async (connection: Connection, address: string): Promise<void> => {
  try {
    const command = await connection.sendCommand('COMMIT')
    if (command !== 'COMMIT') throw new Error(`PostgreSQL ran ${command} instead of COMMIT`)
  } catch (error) {
    // A connection that the server closes during COMMIT may have committed, whatever its last message says.
    if (connection.isOpen()) throw error
    throw new UnknownCommit(address, error)
  }
}

const rollBack = async (connection: Connection): Promise<void> => {
  if (!connection.isOpen()) return
  try {
    await connection.sendCommand('ROLLBACK')
  } catch {
    // The server rolls back when the connection ends.
    connection.destroy()
  }
}

/** How often a transaction runs at most, by the error code of PostgreSQL. */
const runsByCode: ReadonlyMap<string, number> = new Map([
  // serialization_failure and deadlock_detected.
  ['40001', 10],
  ['40P01', 10],
  // lock_not_available: lock_timeout has expired.
  ['55P03', 3],
  // unique_violation: another transaction has inserted the row, and the work now finds it.
  ['23505', 3],
])

const firstDelayMs = 20
const longestDelayMs = 500

/** The delay before the next run, or undefined if there is none. `runs` counts the runs so far. */
export const findRetryDelay = (error: unknown, runs: number, random: () => number): number | undefined => {
  // Nothing was committed, because COMMIT was not sent.
  if (error instanceof ConnectionLost)
    return error.when === 'statement' && !error.isTimeout && runs === 1 ? 0 : undefined
  if (!isServerError(error) || runs >= (runsByCode.get(error.code) ?? 0)) return undefined
  return random() * Math.min(longestDelayMs, firstDelayMs * 2 ** runs)
}
