// Opens the journal in a file, and makes a journal from any database.
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { toFailure } from '../sqlite/failure.ts'
import { openDatabase, openForReading } from '../sqlite/open.ts'
import { type Access, createRunner, type Identity, unknownIdentity } from './access.ts'
import { getOrAddAccount } from './accounts.ts'
import { cleanIdentity, createActorFinder } from './actors.ts'
import type { Database } from './database/database.ts'
import { createSqliteDatabase } from './database/sqlite.ts'
import type { Calls, Journal } from './journal.ts'
import { compareNotes, type Noted, readNotes, readSeen } from './newest-call.ts'
import { type CheckBegin, createCalls } from './orders/calls.ts'
import { createOrderQueries } from './orders/find-orders.ts'
import { createObservations } from './orders/observations.ts'
import { createReveals } from './orders/reveals.ts'
import { type DamagedRow, findDamagedRow } from './orders/row.ts'
import { deleteOrdersOf, schema } from './tables/list.ts'

export type JournalOptions = {
  /** Called each time a damaged row is read. */
  readonly onDamage?: ((row: DamagedRow) => void) | undefined
  /** Called before the first write. */
  readonly identify?: (() => Identity) | undefined
  /** The folder of the notes of the newest calls. Undefined for the sandbox, whose calls a reset deletes. */
  readonly noteFolder?: string | undefined
}

/** `now` returns the time in milliseconds. */
type SqliteOptions = JournalOptions & { readonly now?: () => number }

export const openJournal = async (file: string, options: SqliteOptions = {}): Promise<Journal> =>
  createSqliteJournal(openDatabase(file, schema), file, options)

/** Its functions that write throw. */
export const openJournalForReading = async (file: string, options: SqliteOptions = {}): Promise<Journal> =>
  createSqliteJournal(openForReading(file, schema), file, options)

const createSqliteJournal = (
  file: DatabaseSync,
  name: string,
  { onDamage, identify, now = Date.now, noteFolder: folder }: SqliteOptions,
): Journal => {
  const convert = (error: unknown) => toFailure(error, name, schema)
  const database = createSqliteDatabase(file, { now, convert })
  try {
    const notes = readNotes(folder)
    const place = path.resolve(name)
    const noted =
      folder === undefined ? {} : compareNotes({ folder, notes, seen: readSeen(file, notes), name, place })
    return createJournal({ database, name, onDamage, identify, ...noted })
  } catch (error) {
    file.close()
    throw convert(error)
  }
}

type Parts = Noted & {
  readonly database: Database
  /** The name of the journal in messages. */
  readonly name: string
  readonly onDamage?: JournalOptions['onDamage']
  readonly identify?: JournalOptions['identify']
  /** What happens to an outcome that cannot be recorded. By default, the call throws. */
  readonly keepOutcomes?: ((calls: Calls) => Calls) | undefined
}

export const createJournal = ({ database, name, onDamage, identify: ask, ...parts }: Parts): Journal => {
  const { restored, check, noteCalls, keepOutcomes } = parts
  let identity: Identity | undefined
  const identify = (): Identity => {
    identity ??= cleanIdentity(ask?.() ?? unknownIdentity)
    return identity
  }
  const runTransaction = createRunner(database, identify, createActorFinder(database, identify))

  const checkBegin: CheckBegin = async (statements) => {
    if (restored !== undefined) throw restored
    await check?.(statements)
  }

  /** Adds the conversion of errors and the report of damaged rows. */
  const guard =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const result = await work(...given).catch((error) => {
        throw toJournalFailure(error, name)
      })
      const damaged = [result].flat().map(findDamagedRow)
      for (const row of damaged) if (row !== undefined) onDamage?.(row)
      return result
    }

  const read = guard(
    <Result>(work: (access: Access) => Promise<Result>): Promise<Result> =>
      work({ statements: database, identify }),
  )
  const write = guard(runTransaction)
  // An outcome is saved elsewhere only after a failure of the database, which a defect is not.
  const recorded = createCalls(runTransaction, checkBegin)
  const kept = keepOutcomes?.(recorded) ?? recorded
  const calls = noteCalls?.(kept) ?? kept

  return {
    ...createOrderQueries(read),
    beginCreate: guard(calls.beginCreate),
    endCreate: guard(calls.endCreate),
    beginConfirm: guard(calls.beginConfirm),
    endConfirm: guard(calls.endConfirm),
    recordConfirmedOrder: guard(calls.recordConfirmedOrder),
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
