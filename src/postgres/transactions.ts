// Runs one transaction on one connection and decides whether it runs again after an error.
import { bindParameters, type Connection, type Limits, type Statement, type Values } from './connection.ts'
import { ConnectionLost, isServerError, UnknownCommit } from './failure.ts'

type Row = Readonly<Record<string, unknown>>

export type Statements = {
  readonly all: (sql: string, values?: Values) => Promise<Row[]>
  /** Returns the number of rows that it changed. */
  readonly run: (sql: string, values?: Values) => Promise<number>
}

type SentResult = { readonly rows: Row[]; readonly rowCount: number | null }

export const createStatements = (send: (statement: Statement) => Promise<SentResult>): Statements => ({
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

/** BEGIN and the settings travel with the first statements of the work. */
export const runTransaction = async <Result>(
  connection: Connection,
  { settings, address }: { readonly settings: Statement; readonly address: string },
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> => {
  const { send, end, hasSent } = groupStatements(connection, [begin, settings])
  try {
    const result = await work(createStatements(send))
    await end()
    if (hasSent()) await commit(connection, address, result)
    return result
  } catch (error) {
    await end().catch(() => {})
    if (hasSent()) await rollBack(connection)
    throw error
  }
}

export type Waiting = {
  readonly statement: Statement
  readonly resolve: (result: SentResult) => void
  readonly reject: (error: unknown) => void
}

/** The statements of one turn of the event loop, such as those in a `Promise.all`, travel together. */
export const groupByTurn = (
  start: (sendGroup: () => Promise<void>) => void,
  send: (group: Waiting[]) => Promise<void>,
) => {
  let waiting: Waiting[] = []
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
 * If BEGIN fails, PostgreSQL skips the rest. After an error, nothing is sent: PostgreSQL would refuse it, and the first error
 * says why.
 */
const groupStatements = (connection: Connection, first: readonly Statement[]) => {
  let before = first
  let sending = Promise.resolve()
  let failure: { readonly error: unknown } | undefined
  let hasEnded = false

  const sendGroup = async (group: readonly Waiting[]): Promise<void> => {
    try {
      if (failure !== undefined) throw failure.error
      const results = await connection.send([...before, ...group.map(({ statement }) => statement)])
      for (const [index, { resolve }] of group.entries())
        resolve(results[before.length + index] as SentResult)
      before = []
    } catch (error) {
      failure ??= { error }
      for (const { reject } of group) reject(error)
    }
  }
  const send = groupByTurn((sendTurn) => {
    sending = sending.then(sendTurn)
  }, sendGroup)
  return {
    send: async (statement: Statement): Promise<SentResult> => {
      if (hasEnded) throw new Error('the transaction has ended')
      return send(statement)
    },

    /** Resolves when all responses have arrived. Throws the error of a statement, which the work may have ignored. */
    end: async (): Promise<void> => {
      hasEnded = true
      await sending
      if (failure !== undefined) throw failure.error
    },

    hasSent: (): boolean => before.length === 0 || failure !== undefined,
  }
}

const commit = async (connection: Connection, address: string, result: unknown): Promise<void> => {
  try {
    const command = await connection.sendCommand('COMMIT')
    if (command !== 'COMMIT') throw new Error(`PostgreSQL ran ${command} instead of COMMIT`)
  } catch (error) {
    // A connection that the server closes during COMMIT may have committed, whatever its last message says.
    if (connection.isOpen()) throw error
    throw new UnknownCommit(address, error, result)
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
export const findRetryDelay = (error: unknown, runs: number, random: () => number): number | undefined => {
  // Nothing was committed, because COMMIT was not sent.
  if (error instanceof ConnectionLost)
    return error.when === 'statement' && !error.isTimeout && runs === 1 ? 0 : undefined
  if (!isServerError(error) || runs >= (runsByCode.get(error.code) ?? 0)) return undefined
  return random() * Math.min(longestDelayMs, firstDelayMs * 2 ** runs)
}
