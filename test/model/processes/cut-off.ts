// Cuts a killed simulated process off from SQLite: its transactions are rolled back, and it writes nothing more.
import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { wrapMethods } from '../../support/wrap-methods.ts'

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
  wrapMethods(DatabaseSync.prototype, ['prepare', 'exec'], (call, self, [sql], name) => {
    const holder = holders.getStore()
    if (holder === undefined) return call()
    holder.databases.add(self)
    if (name === 'exec') return guarded(holder, sql, call)
    if (holder.isDead()) return killed()
    const statement = call()
    owners.set(statement, holder)
    return statement
  })
  wrapMethods(DatabaseSync.prototype, ['close'], (call) =>
    holders.getStore()?.isDead() ? undefined : call(),
  )
  wrapMethods(StatementSync.prototype, ['run', 'get', 'all', 'iterate'], (call, self) => {
    const holder = owners.get(self)
    return holder === undefined ? call() : guarded(holder, self.sourceSQL, call)
  })
}
