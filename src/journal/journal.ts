// The journal: every order made with orderctl, recorded before a request is sent and after its answer arrives.
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { toFailure } from '../sqlite/failure.ts'
import { openDatabase } from '../sqlite/open.ts'
import { openForReading } from '../sqlite/read.ts'
import { createActorFinder, type Identity, unknownIdentity } from './actors/actors.ts'
import { type CallTable, type CheckBegin, createCallTable } from './calls.ts'
import { type DamagedRow, findDamagedRow } from './damage.ts'
import type { Database } from './database/database.ts'
import { createSqliteDatabase } from './database/sqlite.ts'
import {
  createRestoredFailure,
  findLostCall,
  type NewestCalls,
  openNewestCalls,
  readNotes,
  readSeen,
} from './newest-call.ts'
import { createObservations } from './observations.ts'
import { createRevealTable } from './reveals.ts'
import { schema } from './schema.ts'
import { createTables, createTransactionRunner, type RunTransaction, type Tables } from './tables.ts'

export type Journal = ReturnType<typeof createJournal>

/** Called each time a damaged row is read. */
export type OnDamage = (row: DamagedRow) => void

export type SqliteOptions = {
  readonly onDamage?: OnDamage
  /** Called before the first write. */
  readonly identify?: () => Identity
  /** The time in milliseconds. */
  readonly now?: () => number
  /** The folder of the note of the newest call. Undefined for the sandbox, whose calls a reset deletes. */
  readonly noteFolder?: string | undefined
}

export const openJournal = async (file: string, options: SqliteOptions = {}) =>
  createSqliteJournal(openDatabase(file, schema), file, options)

/** Its functions that write throw. */
export const openJournalForReading = async (file: string, options: SqliteOptions = {}): Promise<Journal> =>
  createSqliteJournal(openForReading(file, schema), file, options)

const createSqliteJournal = (
  file: DatabaseSync,
  name: string,
  { onDamage = () => {}, identify, now = Date.now, noteFolder }: SqliteOptions,
) => {
  const database = createSqliteDatabase(file, { now, convert: (error) => toFailure(error, name, schema) })
  return createJournal(database, {
    ...{ name, onDamage, identify, groupWrites: database.groupTransactions },
    ...(noteFolder === undefined ? {} : openNotes(file, name, noteFolder)),
  })
}

const openNotes = (file: DatabaseSync, name: string, folder: string): Noted => {
  try {
    const notes = readNotes(folder)
    const seen = readSeen(file, notes)
    const lost = findLostCall(notes, seen)
    return {
      newestCalls: openNewestCalls({ folder, journal: seen.id, name }),
      restored: lost && createRestoredFailure(name, lost),
    }
  } catch (error) {
    file.close()
    throw toFailure(error, name, schema)
  }
}

/** What tables of the journal are made from. */
export type JournalParts = {
  /** Outside of transactions. */
  readonly tables: Tables
  readonly runTransaction: RunTransaction
  readonly identify: () => Identity
}

type Options = Noted & {
  /** The name of the journal in messages. */
  readonly name: string
  readonly onDamage: OnDamage
  readonly identify?: (() => Identity) | undefined
  readonly groupWrites: () => void
  /** What happens to an outcome that cannot be recorded. By default, the call throws. */
  readonly keepOutcomes?: (calls: CallTable, queries: Tables['queries']) => CallTable
}

type Noted = {
  readonly newestCalls?: NewestCalls | undefined
  /** Why no call may begin. */
  readonly restored?: Failure | undefined
}

export const createJournal = (
  database: Database,
  {
    name,
    onDamage,
    identify = () => unknownIdentity,
    groupWrites,
    keepOutcomes = (calls) => calls,
    newestCalls,
    restored,
  }: Options,
) => {
  const tables = createTables(database, { identify })
  const runTransaction = createTransactionRunner(database, createActorFinder(database, identify))

  const checkBegin: CheckBegin = async (statements) => {
    if (restored !== undefined) throw restored
    await newestCalls?.check(statements)
  }
  const noteCalls = newestCalls?.noteCalls ?? ((calls: CallTable) => calls)

  const reportDamage = (result: unknown): void => {
    for (const value of Array.isArray(result) ? result : [result]) {
      const damaged = findDamagedRow(value)
      if (damaged !== undefined) onDamage(damaged)
    }
  }

  /** Adds the conversion of errors and the report of damaged rows. */
  const guard =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const result = await work(...given).catch((error) => {
        throw toJournalFailure(error, name)
      })
      reportDamage(result)
      return result
    }

  const guardFunctions = <Functions extends AsyncFunctions>(functions: Functions): Functions =>
    Object.fromEntries(Object.entries(functions).map(([key, work]) => [key, guard(work)])) as Functions

  return {
    /** Why nothing may be sent with the journal: it was restored from a backup. */
    restored,
    /** From now on, the transactions of several orders are committed together. */
    groupWrites,
    ...guardFunctions({
      ...tables.queries,
      ...noteCalls(keepOutcomes(createCallTable(runTransaction, checkBegin), tables.queries)),
      ...createObservations(runTransaction, tables.queries),
      ...createRevealTable(database, runTransaction),
    }),
    /** For functions that few commands need: runs `work` on the tables, outside of transactions. */
    read: guard(<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> => work(tables)),
    /** The same in one transaction, which PostgreSQL may run again: `work` has no other effects. */
    write: guard(runTransaction),
    /** Adds tables that few commands need, so that the others do not load them. */
    openTables: <Functions extends AsyncFunctions>(create: (parts: JournalParts) => Functions): Functions =>
      guardFunctions(create({ tables, runTransaction, identify })),
    close: database.close,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the types of the functions are kept.
type AsyncFunctions = Record<string, (...given: any[]) => Promise<unknown>>

/** A defect becomes a failure, too: after the answer to a call, it must not hide the answer. */
const toJournalFailure = (error: unknown, name: string): Failure =>
  error instanceof Failure
    ? error
    : new Failure('local-state', `cannot use the journal ${name}: ${(error as Error).message}`, {
        cause: error,
      })
