// The tables of the journal that every command needs, over the same statements: all in one transaction, or none.
import { createAccountTable } from './accounts.ts'
import { type Identity, unknownIdentity } from './actors/actors.ts'
import { createSlotGuard } from './batches/slot-guard.ts'
import { createRowWriter } from './call-rows.ts'
import type { Database, Statements } from './database/database.ts'
import { createBudgetGuard } from './limits/budgets.ts'
import { createQueries } from './queries.ts'
import { createSelectEntries } from './select-entries.ts'

export type Tables = ReturnType<typeof createTables>

type Writer = {
  /** The number of who writes. */
  readonly actor?: number | undefined
  readonly identify?: (() => Identity) | undefined
}

export const createTables = (
  statements: Statements,
  { actor, identify = () => unknownIdentity }: Writer = {},
) => {
  const accounts = createAccountTable(statements)
  const selectEntries = createSelectEntries(statements)
  const queries = createQueries(statements, { selectEntries, accounts, identify })
  return {
    statements,
    actor,
    identify,
    accounts,
    selectEntries,
    queries,
    rows: createRowWriter(statements, actor),
    budgets: createBudgetGuard(statements),
    slots: createSlotGuard(statements, queries, selectEntries),
  }
}

export type RunTransaction = <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>

export const createTransactionRunner =
  (database: Database, findActor?: () => Promise<number>): RunTransaction =>
  async (work) => {
    const actor = await findActor?.()
    return database.transaction((statements) => work(createTables(statements, { actor })))
  }
