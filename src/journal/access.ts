// What work on the journal gets: the statements of a transaction, and who writes.
import type { Database, Statements } from './database/database.ts'

/** What this process says about its user. */
export type Identity = {
  readonly osUser: string
  readonly host: string
  /** Undefined for the user's own commands. */
  readonly assistant?: Assistant | undefined
}

/** Acts for the user, through orderctl mcp. */
export type Assistant = {
  /** The --max-total of its server. */
  readonly maxTotal?: string | undefined
}

export const unknownIdentity: Identity = { osUser: 'unknown', host: 'unknown' }

export type Access = {
  readonly statements: Statements
  /** The number of who writes. Undefined outside of transactions. */
  readonly actor?: number | undefined
  readonly identify: () => Identity
}

export type Run = <Result>(work: (access: Access) => Promise<Result>) => Promise<Result>

/** Runs `work` outside of transactions. */
export type Read = { readonly read: Run }
/** Runs `work` in one transaction, which PostgreSQL may run again: `work` has no other effects. */
export type Write = { readonly write: Run }

/** The returned function runs its work in a transaction. */
export const createRunner =
  (database: Database, identify = () => unknownIdentity, findActor?: () => Promise<number>): Run =>
  async (work) => {
    const actor = await findActor?.()
    return database.transaction((statements) => work({ statements, identify, actor }))
  }

/** How long SQLite waits for another process from now on. Meanwhile, this process does nothing else. */
export const limitWait = (read: Run, ms: number): Promise<void> =>
  read(async ({ statements: { all, dialect } }) => {
    if (dialect.name === 'sqlite') await all(`PRAGMA busy_timeout = ${ms}`)
  })
