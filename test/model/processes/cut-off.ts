// Cuts a killed simulated process off from SQLite: its transactions are rolled back, and it writes nothing more.
import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseSync, StatementSync } from 'node:sqlite'

/** The process that runs these statements. */
export type Holder = {
  isDead(): boolean
  /** May kill the process. */
  onWrite(side: 'before' | 'after'): void
  readonly databases: Set<DatabaseSync>
}

const holders = new AsyncLocalStorage<Holder>()
const owners = new WeakMap<StatementSync, Holder>()

export const asHolder = <Result>(holder: Holder, work: () => Result): Result => holders.run(holder, work)

const killed = (): never => {
  throw new Error('this process was killed')
}

/** Runs `around` in place of these methods. `work` is the original one. */
const wrap = <Owner extends object, Result>(
  owner: Owner,
  names: readonly string[],
  around: (self: Owner, work: () => Result, sql: string) => unknown,
): void => {
  const methods = owner as Record<string, (...given: unknown[]) => Result>
  for (const name of names) {
    const original = methods[name]
    if (original === undefined) throw new Error(`there is no ${name} to wrap`)
    Object.assign(methods, {
      [name](this: Owner, ...given: unknown[]) {
        return around(this, () => original.apply(this, given), String(given[0]))
      },
    })
  }
}

const execOf = DatabaseSync.prototype.exec

/** As SQLite does after a process died: what was not committed is rolled back. */
export const release = ({ databases }: Holder): void => {
  // The connections stay open: orderctl asks them whether a transaction is open, and a closed one throws.
  for (const database of databases)
    if (database.isOpen && database.isTransaction) execOf.call(database, 'ROLLBACK')
}

const guarded = <Result>(holder: Holder, sql: string, work: () => Result): Result => {
  if (holder.isDead()) return killed()
  const isWrite = sql.trimStart().startsWith('COMMIT')
  if (isWrite) holder.onWrite('before')
  if (holder.isDead()) return killed()
  const result = work()
  if (isWrite) holder.onWrite('after')
  return holder.isDead() ? killed() : result
}

/** Once, in a thread of its own: every connection in it is watched from then on. */
export const watchDatabases = (): void => {
  wrap(DatabaseSync.prototype, ['prepare'], (database, prepare: () => StatementSync) => {
    const holder = holders.getStore()
    if (holder === undefined) return prepare()
    holder.databases.add(database)
    if (holder.isDead()) return killed()
    const statement = prepare()
    owners.set(statement, holder)
    return statement
  })
  wrap(DatabaseSync.prototype, ['exec'], (database, exec, sql) => {
    const holder = holders.getStore()
    if (holder === undefined) return exec()
    holder.databases.add(database)
    return guarded(holder, sql, exec)
  })
  wrap(DatabaseSync.prototype, ['close'], (_, close) => (holders.getStore()?.isDead() ? undefined : close()))
  wrap(StatementSync.prototype, ['run', 'get', 'all', 'iterate'], (statement, work) => {
    const holder = owners.get(statement)
    return holder === undefined ? work() : guarded(holder, statement.sourceSQL, work)
  })
}
