// The journal's database in a SQLite file. One connection serves all concurrent work of the process in turn.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { cacheStatements } from '../../sqlite/transactions.ts'
import type { Database, Dialect, TransactionStatements, Values, Work } from './database.ts'

export const dialect: Dialect = {
  name: 'sqlite',
  indexedBy: (index) => `INDEXED BY ${index}`,
  orderedJoin: 'CROSS JOIN',
  forUpdateOf: () => '',
  readList: (parameter) => `json_each(${parameter})`,
  now: 'journal_now()',
  role: 'NULL',
  writtenBy: 'NULL',
}

type Job = {
  readonly work: Work<unknown>
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

type Options = {
  /** The time in milliseconds. */
  readonly now: () => number
  readonly convert: (error: unknown) => unknown
}

export const createSqliteDatabase = (database: DatabaseSync, { now, convert }: Options): Database => {
  cacheStatements(database)
  database.function('journal_now', () => now())

  const execute = <Result>(use: (statement: StatementSync) => Result, sql: string): Result => {
    try {
      return use(database.prepare(sql))
    } catch (error) {
      throw convert(error)
    }
  }
  /** For the transaction that is open. */
  const statements: TransactionStatements = {
    dialect,
    all: async (sql, values = {}) => execute((statement) => statement.all(values), sql),
    run: async (sql, values = {}) => execute((statement) => Number(statement.run(values).changes), sql),
    last: (sql, values = {}) => {
      const rows = execute((statement) => statement.all(values), sql)
      return () => rows
    },
  }
  const run = (sql: string): void => void execute((statement) => statement.run(), sql)

  let jobs: Job[] = []
  let open: Promise<void> | undefined

  /** If a part of the work fails, other parts may go on. They must not write outside of the transaction. */
  const runWork = async <Result>(work: Work<Result>): Promise<Result> => {
    let hasEnded = false
    const whileOpen =
      <Returned>(use: (sql: string, values?: Values) => Returned): typeof use =>
      (sql, values) => {
        if (hasEnded) throw new Error('the transaction has ended')
        return use(sql, values)
      }
    try {
      const { all, run, last } = statements
      return await work({ dialect, all: whileOpen(all), run: whileOpen(run), last: whileOpen(last) })
    } finally {
      hasEnded = true
    }
  }

  /** A job that fails undoes only its own work. */
  const runInGroup = async ({ work, resolve, reject }: Job): Promise<() => void> => {
    run('SAVEPOINT job')
    try {
      const result = await runWork(work)
      run('RELEASE job')
      return () => resolve(result as never)
    } catch (error) {
      if (!database.isTransaction) throw error
      run('ROLLBACK TO job')
      run('RELEASE job')
      return () => reject(error)
    }
  }

  const runGroup = async (group: readonly Job[]): Promise<void> => {
    const ends: (() => void)[] = []
    try {
      // Takes the write lock first, so that no later statement has to wait for it.
      run('BEGIN IMMEDIATE')
      for (const job of group) ends.push(await runInGroup(job))
      run('COMMIT')
      for (const end of ends) end()
    } catch (error) {
      try {
        // A full disk may have ended the transaction.
        if (database.isTransaction) run('ROLLBACK')
      } catch {
        // The original error explains more. SQLite rolls back when the file is closed.
      }
      for (const { reject } of group) reject(error)
    }
  }

  const runAll = async (): Promise<void> => {
    while (jobs.length > 0) {
      const group = jobs
      jobs = []
      await runGroup(group)
    }
    open = undefined
  }

  /**
   * A transaction begins in a separate turn of the event loop and ends within it, because its work waits for nothing
   * else. So two connections of one process never wait for each other, which would block the process. All jobs that
   * have arrived by then are committed together, because each commit waits for the disk.
   */
  const transaction: Database['transaction'] = (work) =>
    new Promise((resolve, reject) => {
      jobs.push({ work, resolve, reject })
      open ??= new Promise((end) => setImmediate(() => end(runAll())))
    })

  /** Waits until no transaction is open: a statement would become a part of it. */
  const afterTransaction = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    while (open !== undefined) await open
    return work()
  }

  return {
    dialect,
    all: (sql, values) => afterTransaction(() => statements.all(sql, values)),
    transaction,
    close: () => afterTransaction(async () => database.close()),
  }
}
