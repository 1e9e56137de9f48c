// Opens the journal in a file, and makes a journal from any database.
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { toFailure } from '../sqlite/failure.ts'
import { openDatabase } from '../sqlite/open.ts'
import { openForReading } from '../sqlite/read.ts'
import { type Access, createRunner, type Identity, unknownIdentity } from './access.ts'
import { getOrAddAccount } from './accounts.ts'
import { createActorFinder } from './actors.ts'
import { type CheckBegin, createCalls } from './calls.ts'
import type { Database, Statements } from './database/database.ts'
import { createSqliteDatabase } from './database/sqlite.ts'
import { createOrderQueries } from './find-orders.ts'
import type { Calls, Journal } from './journal.ts'
import {
  createRestoredFailure,
  findLostCall,
  type NewestCalls,
  openNewestCalls,
  readNotes,
  readSeen,
} from './newest-call.ts'
import { createObservations } from './observations.ts'
import { createReveals } from './reveals.ts'
import { type DamagedRow, findDamagedRow } from './row.ts'
import { deleteOrdersOf, schema } from './tables/list.ts'

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

export const openJournal = async (file: string, options: SqliteOptions = {}): Promise<Journal> =>
  createSqliteJournal(openDatabase(file, schema), file, options)

/** Its functions that write throw. */
export const openJournalForReading = async (file: string, options: SqliteOptions = {}): Promise<Journal> =>
  createSqliteJournal(openForReading(file, schema), file, options)

const createSqliteJournal = (
  file: DatabaseSync,
  name: string,
  { onDamage = () => {}, identify, now = Date.now, noteFolder }: SqliteOptions,
): Journal => {
  const database = createSqliteDatabase(file, { now, convert: (error) => toFailure(error, name, schema) })
  return createJournal(database, {
    name,
    onDamage,
    identify,
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

type Options = Noted & {
  /** The name of the journal in messages. */
  readonly name: string
  readonly onDamage: OnDamage
  readonly identify?: (() => Identity) | undefined
  /** What happens to an outcome that cannot be recorded. By default, the call throws. */
  readonly keepOutcomes?: KeepOutcomes
}

export type KeepOutcomes = (calls: Calls, statements: Statements) => Calls

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
    identify: ask = () => unknownIdentity,
    keepOutcomes = (calls) => calls,
    newestCalls,
    restored,
  }: Options,
): Journal => {
  let identity: Identity | undefined
  const identify = (): Identity => {
    identity ??= ask()
    return identity
  }
  const access: Access = { statements: database, identify }
  const runTransaction = createRunner(database, {
    identify,
    findActor: createActorFinder(database, identify),
  })

  const checkBegin: CheckBegin = async (statements) => {
    if (restored !== undefined) throw restored
    await newestCalls?.check(statements)
  }
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

  const read = guard(<Result>(work: (access: Access) => Promise<Result>): Promise<Result> => work(access))
  const write = guard(runTransaction)
  // An outcome is saved elsewhere only after a failure of the database, which a defect is not.
  const kept = keepOutcomes(createCalls(runTransaction, checkBegin), database)
  const calls = newestCalls?.noteCalls(kept) ?? kept

  return {
    ...createOrderQueries(read),
    beginCreate: guard(calls.beginCreate),
    endCreate: guard(calls.endCreate),
    beginConfirm: guard(calls.beginConfirm),
    endConfirm: guard(calls.endConfirm),
    endConfirmByOrder: guard(calls.endConfirmByOrder),
    ...createObservations(read, write),
    ...createReveals(read, write),
    read,
    write,
    restored,
    deleteOrders: (account) =>
      write(async ({ statements }) => deleteOrdersOf(statements, await getOrAddAccount(statements, account))),
    close: database.close,
  }
}

/** A defect becomes a failure, too: after the response to a call, it must not hide the response. */
const toJournalFailure = (error: unknown, name: string): Failure =>
  error instanceof Failure
    ? error
    : new Failure('local-state', `cannot use the journal ${name}: ${(error as Error).message}`, {
        cause: error,
      })
