// The journal: every order made with orderctl, recorded before a request is sent and after its answer arrives.
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { cacheStatements } from '../sqlite/cache-statements.ts'
import { toFailure } from '../sqlite/failure.ts'
import { openDatabase, openForReading } from '../sqlite/open.ts'
import { createTransactionRunner } from '../sqlite/transactions.ts'
import { type AccountTable, createAccountTable } from './accounts.ts'
import { createSlotGuard, type SlotGuard } from './batches/slot-guard.ts'
import { createCallTable } from './calls.ts'
import { type DamagedRow, findDamagedRow } from './damage.ts'
import type { createGroupedWrite, Write } from './grouped-writes.ts'
import { createQueries, type Queries } from './queries.ts'
import { createRevealTable } from './reveals.ts'
import { schema } from './schema.ts'
import { createSelectEntries } from './select-entries.ts'
import { createStateChanges, type RunTransaction } from './state-changes.ts'

export type Journal = ReturnType<typeof openJournal>

/** Called each time a damaged row is read. */
export type OnDamage = (row: DamagedRow) => void

export const openJournal = (file: string, onDamage: OnDamage = () => {}) =>
  createJournal(openDatabase(file, schema), { file, onDamage })

/** Its functions that write throw. */
export const openJournalForReading = (file: string, onDamage: OnDamage = () => {}): Journal =>
  createJournal(openForReading(file, schema), { file, onDamage })

/** What tables of the journal are made from. */
export type JournalParts = {
  readonly database: DatabaseSync
  readonly runTransaction: RunTransaction
  readonly accounts: AccountTable
  readonly queries: Queries
  readonly slots: SlotGuard
}

type Options = { readonly file: string; readonly onDamage: OnDamage }

const createJournal = (database: DatabaseSync, { file, onDamage }: Options) => {
  cacheStatements(database)
  const runTransaction = createTransactionRunner(database)
  const accounts = createAccountTable(database)
  const queries = createQueries(database, accounts)
  const changes = createStateChanges(database, runTransaction, queries)
  const slots = createSlotGuard(database, createSelectEntries(database), queries.listCalls)

  const reportDamage = (result: unknown): void => {
    for (const value of Array.isArray(result) ? result : [result]) {
      const damaged = findDamagedRow(value)
      if (damaged !== undefined) onDamage(damaged)
    }
  }

  /** Converts every error, such as a full disk or a damaged page, to a failure of the journal. */
  const convertErrors = (work: () => unknown): unknown => {
    try {
      return work()
    } catch (error) {
      throw toJournalFailure(toFailure(error, file, schema), file)
    }
  }

  /** Adds the conversion of errors and the report of damaged rows to each function. */
  // biome-ignore lint/suspicious/noExplicitAny: the types of the functions are kept.
  const guardFunctions = <Functions extends Record<string, (...given: any[]) => unknown>>(
    functions: Functions,
  ): Functions =>
    Object.fromEntries(
      Object.entries(functions).map(([name, work]) => [
        name,
        (...given: unknown[]) => {
          const result = convertErrors(() => work(...given))
          reportDamage(result)
          return result
        },
      ]),
    ) as Functions

  let write: Write = async (work) => work()

  return {
    /** For the writes around a call. Resolves when the work is on disk. */
    write: <Result>(work: () => Result): Promise<Result> => write(work),
    /** From now on, `write` commits the works of several orders together. */
    groupWrites: (create: typeof createGroupedWrite): void => {
      write = create(database, runTransaction, convertErrors)
    },
    ...guardFunctions({
      ...queries,
      ...createCallTable(database, runTransaction, { queries, accounts, slots, changes }),
      recordOrder: changes.recordOrder,
      recordExpiry: changes.recordExpiry,
      recordUnconfirmed: changes.recordUnconfirmed,
      recordDecision: changes.recordDecision,
      ...createRevealTable(database, runTransaction),
    }),
    /** Adds tables that few commands need, so that the others do not load them. */
    // biome-ignore lint/suspicious/noExplicitAny: the types of the functions are kept.
    openTables: <Functions extends Record<string, (...given: any[]) => unknown>>(
      create: (parts: JournalParts) => Functions,
    ): Functions => guardFunctions(create({ database, runTransaction, accounts, queries, slots })),
    close: (): void => database.close(),
  }
}

/** A defect becomes a failure, too: after the answer to a call, it must not hide the answer. */
const toJournalFailure = (error: unknown, file: string): Failure =>
  error instanceof Failure
    ? error
    : new Failure('local-state', `cannot use the journal ${file}: ${(error as Error).message}`, {
        cause: error,
      })
