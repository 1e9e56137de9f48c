// Opens the journal in a file and creates a journal from any database.

import { existsSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { AccountId } from '../contract/account-id.ts'
import { Failure } from '../errors.ts'
import { openMarks } from '../sqlite/lock.ts'
import { openDatabase, openForReading, toFailure } from '../sqlite/open.ts'
import { createRunner, type DamagedRow, type Identity, unknownIdentity, type WriteAccess } from './access.ts'
import { cleanIdentity, createActorFinder } from './accounts.ts'
import { refuseHandedOver } from './copy/handover.ts'
import { type Database, inOrder } from './database/database.ts'
import { createSqliteDatabase, dialect } from './database/sqlite.ts'
import type { Journal } from './journal.ts'
import { openMachine } from './machine/machine-file.ts'
import {
  type CallChecks,
  compareWithMachine,
  type Here,
  readNotes,
  readSeen,
  refuseNewJournal,
} from './machine/newest-call.ts'
import type { Outbox } from './machine/outbox.ts'
import { toUnsent } from './orders/apply.ts'
import { isStarted, toStarted } from './orders/entries.ts'
import { recordEnd } from './orders/write-order.ts'
import { schema } from './tables/list.ts'

export type JournalOptions = {
  readonly onDamage?: ((row: DamagedRow) => void) | undefined
  /** Called before the first write. */
  readonly identify?: (() => Identity) | undefined
  /** Notes the calls of the account. Undefined for the sandbox, whose calls a reset deletes. */
  readonly noted?: Pick<Here, 'machine' | 'account'> | undefined
}

/** It is loaded together with the journal. */
export { openMachine }

/** `now` returns the time in milliseconds. */
type SqliteOptions = JournalOptions & { readonly now?: () => number }

export const openJournal = async (file: string, options: SqliteOptions = {}): Promise<Journal> => {
  const { noted } = options
  if (noted !== undefined && !existsSync(file)) {
    const here = { ...noted, name: file, place: undefined }
    refuseNewJournal(here, readNotes(here))
  }
  return createSqliteJournal(openDatabase(file, schema), file, options)
}

/** Its functions that write throw. */
export const openJournalForReading = async (file: string, options: SqliteOptions = {}): Promise<Journal> =>
  createSqliteJournal(openForReading(file, schema), file, options)

/** For a machine on which nothing was ever ordered: it has no rows, and its functions that write throw. */
export const createEmptyJournal = (): Journal => {
  const refuse = async () => {
    throw new Error('there is no journal')
  }
  const database = { dialect, all: async () => [], transaction: refuse, close: async () => {} }
  return createJournal({ database, name: 'of this machine' })
}

const createSqliteJournal = async (
  file: DatabaseSync,
  name: string,
  { onDamage, identify, now = Date.now, noted }: SqliteOptions,
): Promise<Journal> => {
  const convert = (error: unknown) => toFailure(error, name, schema)
  const database = createSqliteDatabase(file, { now, convert })
  try {
    const here = noted && { ...noted, name, place: undefined }
    const notes = here && readNotes(here)
    const compared = here && notes && (await compareWithMachine(here, notes, readSeen(file, notes)))
    // A journal in memory has no process to wait for.
    const marksFolder = path.isAbsolute(name) ? path.dirname(name) : undefined
    return createJournal({ database, name, onDamage, identify, marksFolder, ...compared })
  } catch (error) {
    file.close()
    throw convert(error)
  }
}

type Parts = CallChecks & {
  readonly database: Database
  /** The journal's name in messages. */
  readonly name: string
  readonly onDamage?: JournalOptions['onDamage']
  readonly identify?: JournalOptions['identify']
  /** Keeps outcomes that cannot be recorded. Without it, the call throws. */
  readonly outbox?: Outbox | undefined
  /** The folder with the folder of marks: one for each create that runs on this machine. */
  readonly marksFolder?: string | undefined
}

export const createJournal = ({ database, name, onDamage, identify: ask, ...parts }: Parts): Journal => {
  const { conflict, check, note, outbox, marksFolder } = parts
  let identity: Identity | undefined
  const marks = marksFolder === undefined ? undefined : openMarks(path.join(marksFolder, 'creates'))
  const identify = (): Identity => {
    identity ??= cleanIdentity(ask?.() ?? unknownIdentity)
    return identity
  }
  const user = { identify, report: (row: DamagedRow) => onDamage?.(row) }
  const runTransaction = createRunner(database, user, createActorFinder(database, identify))

  const checkBegin = async (access: WriteAccess, account: AccountId): Promise<void> => {
    if (conflict !== undefined) throw conflict
    await refuseHandedOver(access, account, name)
    await check?.(access, account)
  }

  const begin: Journal['begin'] = async (account, work) => {
    // The check costs no round trip.
    const checked = async (access: WriteAccess) =>
      (await inOrder({ start: work(access), check: checkBegin(access, account) })).start
    const start = await runTransaction(checked).catch(async (error) => {
      await outbox?.keepIntent(error)
      throw error
    })
    if (!isStarted(start)) return start
    if (start.operation === 'create') marks?.set(start.id)
    await note?.(start).catch(async (error) => {
      // If this fails, too, the call is settled later.
      await end(start, toUnsent(start)).catch(() => {})
      throw error
    })
    return start
  }

  const end: Journal['end'] = async (call, fact, alsoDo) => {
    try {
      return await runTransaction(async (access) => {
        const ended = recordEnd(access, call, fact)
        const { also } = await inOrder({ ended, also: alsoDo?.(access, ended) })
        return also
      })
    } catch (error) {
      // Only after failures of the database, not after defects.
      if (outbox === undefined || !(error instanceof Failure)) throw error
      const isRecorded = await outbox.keep(call, fact).catch(() => Promise.reject(error))
      if (!isRecorded || alsoDo === undefined) return undefined
      return runTransaction((access) => alsoDo(access, Promise.resolve())).catch(() => undefined)
    } finally {
      if (call.operation === 'create') marks?.remove(call.id)
    }
  }

  const endAbandoned: Journal['endAbandoned'] = async (create, at) => {
    const { id, operation, number: call } = create
    if (operation !== 'create' || !marks?.isLeft(id)) return false
    await end(toStarted(create, ''), { kind: 'create-ended', call, outcome: 'unknown', at })
    return true
  }

  const guard =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      work(...given).catch((error) => {
        throw toJournalFailure(error, name)
      })

  return {
    read: { dialect: database.dialect, all: guard(database.all), ...user },
    write: guard(runTransaction),
    begin: guard(begin),
    end: guard(end),
    endAbandoned: guard(endAbandoned),
    conflict,
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
