// What work on the journal gets: its database's statements, and the actor.
import type { Database, Statements, TransactionStatements } from './database/database.ts'

/** The user, as this process reports it. */
export type Identity = {
  readonly osUser: string
  readonly host: string
  /** Undefined for the user's own commands. */
  readonly assistant?: Assistant | undefined
}

/** Acts for the user, through orderctl mcp. */
export type Assistant = {
  /** Its server's --max-total. */
  readonly maxTotal?: string | undefined
}

export const unknownIdentity: Identity = { osUser: 'unknown', host: 'unknown' }

export type DamagedRow = {
  readonly kind: 'order' | 'call' | 'reveal' | 'batch' | 'row' | 'card'
  /** The number of the order or batch in the journal, or of the row or card in its batch. */
  readonly number?: number | undefined
  readonly orderId?: string | undefined
  readonly columns: readonly string[]
}

/** For whom the journal is used. */
type Caller = {
  readonly identify: () => Identity
  readonly report: (row: DamagedRow) => void
}

/** Reads the journal. Outside of transactions, each statement is a separate transaction. */
export type Access = Pick<Statements, 'dialect' | 'all'> & Caller

/** Reads and writes in a transaction. */
export type WriteAccess = Access &
  TransactionStatements & {
    readonly actor?: number | undefined
  }

/** Runs `work` in one transaction, which PostgreSQL may run again: `work` has no other effects. */
export type Run = <Result>(work: (access: WriteAccess) => Promise<Result>) => Promise<Result>

/** Outside of transactions. */
export type Read = { readonly read: Access }
export type Write = { readonly write: Run }

/** For work that no command asked for, such as to write saved outcomes. */
const noCaller: Caller = { identify: () => unknownIdentity, report: () => {} }

/** The returned function runs its work in a transaction. */
export const createRunner =
  (database: Database, caller = noCaller, findActor?: () => Promise<number>): Run =>
  async (work) => {
    const actor = await findActor?.()
    return database.transaction((statements) => work({ ...statements, ...caller, actor }))
  }

/** How long SQLite waits for a different process from now on. Meanwhile, this process does nothing else. */
export const limitWait = async ({ all, dialect }: Access, ms: number): Promise<void> => {
  if (dialect.name === 'sqlite') await all(`PRAGMA busy_timeout = ${ms}`)
}
