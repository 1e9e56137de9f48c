// Runs one transaction on one connection.
import type { Connection, Statement } from './connection.ts'
import { isServerError, UnknownCommit } from './lost-connection.ts'
import { bindParameters, type Values } from './parameters.ts'

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

/** Precedes a statement that is sent before BEGIN is answered: fails outside of a transaction, and changes nothing. */
const requireTransaction = ['SAVEPOINT begun', 'RELEASE begun']

/** `begin` is BEGIN and what else a transaction starts with. It travels with the first statement of the work. */
export const runTransaction = async <Result>(
  connection: Connection,
  begin: readonly string[],
  address: string,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> => {
  let hasSent = false
  let hasBegun = false
  let firstError: unknown
  let hasEnded = false
  const send: Send = async (statement) => {
    if (hasEnded) throw new Error('the transaction has ended')
    // If BEGIN failed, the next statement would be a transaction of its own.
    const before = hasSent ? requireTransaction : begin
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
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered COMMIT with ${command}`)
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
