// The machine file: facts that this machine stores outside of its journals. Restoring a journal from a backup changes
// nothing in it. It is in the state folder, like this machine's journal.

import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../errors.ts'
import { makeFolder, syncFolder } from '../../files.ts'
import { hasTables, openDatabase, requireRegular, type Schema, toFailure } from '../../sqlite/open.ts'
import { cacheStatements, createGroupRunner, createTransactionRunner } from '../../sqlite/transactions.ts'
import { machineFile } from '../journal.ts'
import { findSecondPath } from '../location/second-path.ts'

export const schema: Schema = {
  name: 'machine file',
  elsewhere: 'Set ORDERCTL_STATE_DIR to a different folder',
  loss: 'orderctl cannot notice that a journal was restored or replaced, and loses the outcomes in this file',
  remedy: 'Use reconcile. Then move it away, with its -wal and -shm: a backup of it is too old.',
  applicationId: 0x6f72644d,
  version: 510863770,
  createSql: () => `
    -- The newest call of each journal that this machine has seen.
    CREATE TABLE journals (
      -- The random id in the journal, because an address has several spellings.
      id TEXT PRIMARY KEY,
      -- The address of a shared journal. NULL for the file beside this one.
      place TEXT,
      -- A newer call has a higher number. A restored journal may give the number to another call, but never its id.
      call INTEGER NOT NULL,
      call_id TEXT NOT NULL,
      started_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- The journal in which an account keeps its orders.
    CREATE TABLE accounts (
      address TEXT NOT NULL,
      -- Empty if the account has no name.
      name TEXT NOT NULL,
      journal TEXT NOT NULL REFERENCES journals ON DELETE CASCADE,
      PRIMARY KEY (address, name)
    ) STRICT, WITHOUT ROWID;
    -- The accounts that the file beside this one hands over to a shared journal, by the ids of both journals.
    CREATE TABLE handovers (
      source TEXT NOT NULL,
      target TEXT NOT NULL,
      address TEXT NOT NULL,
      -- Empty if the account has no name.
      name TEXT NOT NULL,
      PRIMARY KEY (source, target, address, name)
    ) STRICT, WITHOUT ROWID;
    -- Outcomes that a shared journal could not record. They have no code and no key.
    CREATE TABLE outbox (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      -- The id of the journal.
      journal TEXT NOT NULL,
      -- A KeptOutcome (see outbox.ts), in JSON.
      event TEXT NOT NULL
    ) STRICT;
    -- The file of the journal whose disk was checked, in one row.
    CREATE TABLE disks (location TEXT NOT NULL) STRICT`,
}

export type Machine = {
  readonly file: string
  /** Undefined if there is no machine file. */
  readonly read: <Result>(use: (database: DatabaseSync) => Result) => Result | undefined
  /** Creates the file. When it resolves, the changes are on disk. All writes of one turn are one transaction. */
  readonly write: <Result>(use: (database: DatabaseSync) => Result) => Promise<Result>
  /** As write, but without an fsync: the changes survive a kill, and may be lost in a power failure. */
  readonly note: <Result>(use: (database: DatabaseSync) => Result) => Promise<Result>
  readonly [Symbol.dispose]: () => void
}

/** A different process may recover the file's log. */
const waitMs = 10_000

/** After each checkpoint, a write takes three fsyncs instead of one. A longer log takes longer to open. */
const logPages = 100

/** Opens the file when it is used. Each function throws a Failure if the file cannot be used. */
export const openMachine = (folder: string): Machine => {
  const file = path.join(folder, machineFile)
  let reader: DatabaseSync | undefined
  let writer: DatabaseSync | undefined
  /** Of the file that is open. */
  let inode: bigint | undefined

  const readInode = (): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

  // The reader is closed last, and cannot delete the log. So the next command appends to the log: beginning a log takes
  // two more fsyncs, and writing it into the file takes two.
  const close = (): void => {
    writer?.close()
    reader?.close()
    writer = undefined
    reader = undefined
    inode = undefined
  }

  const refuseOddFile = (): void => {
    requireRegular(file, schema)
    const refusal = findSecondPath(file, 'machine file')
    if (refusal !== undefined) throw refusal
  }

  const openReader = (): DatabaseSync | undefined => {
    if (reader !== undefined || !existsSync(file)) return reader
    refuseOddFile()
    const database = new DatabaseSync(file, { readOnly: true, timeout: waitMs })
    try {
      // A command that was killed may have left an empty file.
      if (hasTables(database, file, schema)) {
        reader = database
        inode ??= readInode()
      }
      return reader
    } finally {
      if (reader === undefined) database.close()
    }
  }

  const openWriter = (): DatabaseSync => {
    if (writer === undefined) {
      if (!existsSync(folder)) {
        makeFolder(folder, 0o700)
        syncFolder(path.dirname(folder))
      }
      refuseOddFile()
      writer = openDatabase(file, schema)
      cacheStatements(writer)
      inode = readInode()
      writer.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
      openReader()
    }
    return writer
  }

  /** The next command would not find the changes. */
  const refuseReplaced = (): void => {
    if (inode === undefined || readInode() === inode) return
    throw new Failure('local-state', `${file} was deleted or replaced while orderctl used it`, {
      advice: 'Run the command again.',
    })
  }

  const createWriter = (synchronous: 'FULL' | 'NORMAL'): Machine['write'] =>
    createGroupRunner((work) => {
      try {
        refuseReplaced()
        const database = openWriter()
        database.exec(`PRAGMA synchronous = ${synchronous}`)
        const result = createTransactionRunner(database)(work)
        refuseReplaced()
        return result
      } catch (error) {
        throw toFailure(error, file, schema)
      }
    }, openWriter)

  return {
    file,
    read: (use) => {
      try {
        const database = writer ?? openReader()
        return database && use(database)
      } catch (error) {
        throw toFailure(error, file, schema)
      }
    },
    write: createWriter('FULL'),
    note: createWriter('NORMAL'),
    [Symbol.dispose]: close,
  }
}
