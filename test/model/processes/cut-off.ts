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

// biome-ignore lint/suspicious/noExplicitAny: whatever is wrapped, its arguments pass through.
type Work = (this: any, ...given: any[]) => any

const wrap = (owner: object, name: string, around: (original: Work) => Work): void => {
  const holder = owner as Record<string, Work>
  const original = holder[name]
  if (original === undefined) throw new Error(`there is no ${name} to wrap`)
  holder[name] = around(original)
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
  wrap(
    DatabaseSync.prototype,
    'prepare',
    (original) =>
      function (sql) {
        const holder = holders.getStore()
        if (holder === undefined) return original.call(this, sql)
        holder.databases.add(this)
        if (holder.isDead()) return killed()
        const statement = original.call(this, sql)
        owners.set(statement, holder)
        return statement
      },
  )
  wrap(
    DatabaseSync.prototype,
    'exec',
    (original) =>
      function (sql) {
        const holder = holders.getStore()
        if (holder === undefined) return original.call(this, sql)
        holder.databases.add(this)
        return guarded(holder, sql, () => original.call(this, sql))
      },
  )
  wrap(
    DatabaseSync.prototype,
    'close',
    (original) =>
      function () {
        return holders.getStore()?.isDead() ? undefined : original.call(this)
      },
  )
  for (const name of ['run', 'get', 'all', 'iterate']) {
    wrap(
      StatementSync.prototype,
      name,
      (original) =>
        function (...given) {
          const holder = owners.get(this)
          if (holder === undefined) return original.apply(this, given)
          return guarded(holder, this.sourceSQL, () => original.apply(this, given))
        },
    )
  }
}
