// The tables of the journal that every command needs, over the same statements: all in one transaction, or none.
import { type AccountTable, createAccountTable } from './accounts.ts'
import { type Identity, unknownIdentity } from './actors/actors.ts'
import { createSlotGuard, type SlotGuard } from './batches/slot-guard.ts'
import { createRowWriter, type RowWriter } from './call-rows.ts'
import type { Database, Statements } from './database/database.ts'
import { createQueries, createSelectEntries, type Queries, type SelectEntries } from './queries.ts'

export type Tables = {
  readonly statements: Statements
  /** The number of who writes. Undefined outside of transactions. */
  readonly actor: number | undefined
  /** What this process says about its user. */
  readonly identify: () => Identity
  readonly accounts: AccountTable
  readonly selectEntries: SelectEntries
  readonly queries: Queries
  readonly rows: RowWriter
  readonly slots: SlotGuard
}

type Writer = { readonly actor?: number; readonly identify?: () => Identity }

export const createTables = (
  statements: Statements,
  { actor, identify = () => unknownIdentity }: Writer = {},
): Tables => {
  const selectEntries = createSelectEntries(statements)
  const queries = createQueries(statements, selectEntries)
  return {
    statements,
    actor,
    identify,
    selectEntries,
    queries,
    accounts: createAccountTable(statements),
    rows: createRowWriter(statements, { actor, identify }),
    slots: createSlotGuard(statements, queries, selectEntries),
  }
}

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
