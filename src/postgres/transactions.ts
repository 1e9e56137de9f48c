// Runs one transaction on one connection and decides whether it runs again after an error.
import type { QueryResult } from 'pg'
import { ConnectionLost, isServerError, UnknownCommit } from './failure.ts'
import { type BoundValues, bindParameters, type Connection, type Limits, type Statement } from './pool.ts'

type Row = Readonly<Record<string, unknown>>

export type PostgresStatements = {
  readonly all: (sql: string, values?: BoundValues) => Promise<Row[]>
  /** Returns the number of rows that it changed. */
  readonly run: (sql: string, values?: BoundValues) => Promise<number>
}

export type TransactionWork<Result> = (statements: PostgresStatements & Last) => Promise<Result>

type Last = {
  /** Does not wait: if no other statement follows, it travels with COMMIT. The returned function gives its rows after it. */
  readonly last: (sql: string, values?: BoundValues) => () => Row[]
}

type SentResult = { readonly rows: Row[]; readonly rowCount: number | null }

export const createStatements = (
  send: (statement: Statement) => Promise<SentResult>,
): PostgresStatements => ({
  all: async (sql, values) => (await send(bindParameters(sql, values))).rows,
  run: async (sql, values) => (await send(bindParameters(sql, values))).rowCount ?? 0,
})

/** PgBouncer does not keep a session's settings, so each transaction sets its own. */
export const createSettings = ({ statementMs, lockMs, idleMs }: Limits): Statement => {
  const settings = Object.entries({
    synchronous_commit: 'on',
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleMs,
  })
  const calls = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return { text: `SELECT ${calls.join(', ')}`, values: [] }
}

const begin: Statement = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED', values: [] }
const commit: Statement = { text: 'COMMIT', values: [] }
const rollback: Statement = { text: 'ROLLBACK', values: [] }

/** BEGIN and the settings travel with the first statements of the work, COMMIT with those that it does not wait for. */
export const runTransaction = async <Result>(
  connection: Connection,
  { settings, address }: { readonly settings: Statement; readonly address: string },
  work: TransactionWork<Result>,
): Promise<Result> => {
  const { send, end, mayHaveCommitted } = groupStatements(connection, [begin, settings])
  const last: Last['last'] = (sql, values) => {
    const rows: Row[] = []
    // If it fails, the transaction fails.
    send(bindParameters(sql, values)).then(
      (result) => rows.push(...result.rows),
      () => {},
    )
    return () => rows
  }
  try {
    const result = await work({ ...createStatements(send), last })
    await end(commit).catch((error) => {
      throw mayHaveCommitted() ? new UnknownCommit(address, error, result) : error
    })
    return result
  } catch (error) {
    await end().catch(() => {})
    await rollBack(connection)
    throw error
  }
}

export type WaitingTransaction = {
  readonly statement: Statement
  readonly resolve: (result: SentResult) => void
  readonly reject: (error: unknown) => void
}

/** The statements of one turn of the event loop, such as those in a `Promise.all`, travel together. */
export const groupByTurn = (
  start: (sendGroup: () => Promise<void>) => void,
  send: (group: WaitingTransaction[]) => Promise<void>,
) => {
  let waiting: WaitingTransaction[] = []
  const sendGroup = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    const group = waiting
    waiting = []
    await send(group)
  }
  return (statement: Statement): Promise<SentResult> =>
    new Promise((resolve, reject) => {
      if (waiting.push({ statement, resolve, reject }) === 1) start(sendGroup)
    })
}

/**
 * If a statement fails, PostgreSQL skips the rest of its group. Then nothing more is sent: PostgreSQL would refuse it, and
 * the first error says why.
 */
const groupStatements = (connection: Connection, first: readonly Statement[]) => {
  let before = first
  let sending = Promise.resolve()
  let failure: { readonly error: unknown } | undefined
  let [isUsed, hasEnded, hasSentCommit] = [false, false, false]

  const sendGroup = async (group: readonly WaitingTransaction[]): Promise<void> => {
    try {
      if (failure !== undefined) throw failure.error
      hasSentCommit = group.at(-1)?.statement === commit
      const results = await connection.send([...before, ...group.map(({ statement }) => statement)])
      const { command } = results.at(-1) as QueryResult
      if (hasSentCommit && command !== 'COMMIT')
        throw new Error(`PostgreSQL ran ${command} instead of COMMIT`)
      for (const [index, { resolve }] of group.entries())
        resolve(results[before.length + index] as SentResult)
      before = []
    } catch (error) {
      failure ??= { error }
      for (const { reject } of group) reject(error)
    }
  }
  const sendInTurn = groupByTurn((sendTurn) => {
    sending = sending.then(sendTurn)
  }, sendGroup)
  return {
    send: (statement: Statement): Promise<SentResult> => {
      if (hasEnded) throw new Error('the transaction has ended')
      isUsed = true
      return sendInTurn(statement)
    },

    /** Resolves when all responses have arrived. Throws the error of a statement, which the work may have ignored. */
    end: async (statement?: Statement): Promise<void> => {
      hasEnded = true
      if (isUsed && statement !== undefined) sendInTurn(statement).catch(() => {})
      await sending
      if (failure !== undefined) throw failure.error
    },

    /** A connection that the server closes during COMMIT may have committed, whatever its last message says. */
    mayHaveCommitted: (): boolean => hasSentCommit && !connection.isOpen(),
  }
}

/** The server rolls back when the connection ends. */
const rollBack = async (connection: Connection): Promise<void> => {
  if (connection.isOpen()) await connection.send([rollback]).catch(() => connection.destroy())
}

/** How often a transaction runs at most, by PostgreSQL's error code. */
const runsByCode: ReadonlyMap<string, number> = new Map([
  // serialization_failure and deadlock_detected.
  ['40001', 10],
  ['40P01', 10],
  // lock_not_available: lock_timeout has expired.
  ['55P03', 3],
  // unique_violation: a different transaction has inserted the row, and the work now finds it.
  ['23505', 3],
])

const firstDelayMs = 20
const longestDelayMs = 500

/** The delay before the next run, or undefined if there is none. `runs` counts the runs so far. */
export const findRetryDelay = (
  error: unknown,
  runs: number,
  { random, connections }: { readonly random: () => number; readonly connections: number },
): number | undefined => {
  // Nothing was committed, because COMMIT was not sent. Each idle connection may have been lost, too.
  if (error instanceof ConnectionLost)
    return error.when === 'statement' && !error.isTimeout && runs <= connections ? 0 : undefined
  if (!isServerError(error) || runs >= (runsByCode.get(error.code) ?? 0)) return undefined
  return random() * Math.min(longestDelayMs, firstDelayMs * 2 ** runs)
}
