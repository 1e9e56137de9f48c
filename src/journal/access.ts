// What work on the journal gets: the statements of a transaction, and who writes.
import { type Identity, unknownIdentity } from './actors/actors.ts'
import { createSlotGuard, type SlotGuard } from './batches/slot-guard.ts'
import type { Database, Statements } from './database/database.ts'

export type Tables = {
  readonly statements: Statements
  /** The number of who writes. Undefined outside of transactions. */
  readonly actor: number | undefined
  /** What this process says about its user. */
  readonly identify: () => Identity
  readonly slots: SlotGuard
}

type Writer = { readonly actor?: number; readonly identify?: () => Identity }

export const createTables = (
  statements: Statements,
  { actor, identify = () => unknownIdentity }: Writer = {},
): Tables => ({ statements, actor, identify, slots: createSlotGuard(statements) })

/** Runs work on the tables. */
export type RunTransaction = <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>

type Writers = { readonly identify: () => Identity; readonly findActor: () => Promise<number> }

export const createTransactionRunner =
  (database: Database, writers?: Writers): RunTransaction =>
  async (work) => {
    const writer =
      writers === undefined ? {} : { identify: writers.identify, actor: await writers.findActor() }
    return database.transaction((statements) => work(createTables(statements, writer)))
  }

/** How long SQLite waits for another process from now on. Meanwhile, this process does nothing else. */
export const limitWait = (read: RunTransaction, ms: number): Promise<void> =>
  read(async ({ statements: { all, dialect } }) => {
    if (dialect.name === 'sqlite') await all(`PRAGMA busy_timeout = ${ms}`)
  })
