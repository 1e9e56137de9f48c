// Opens a SQLite file of orderctl: creates it for writing, or reads it and never waits for a lock. Refuses any other file
// and leaves it untouched. Explains why a file cannot be used, and gives advice that loses no data.

import { closeSync, existsSync, fstatSync, lstatSync, openSync, realpathSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import { createTransactionRunner } from './transactions.ts'

/** Describes a SQLite file of orderctl. */
export type Schema = {
  /** The word for the file in messages: 'state file'. */
  readonly name: string
  /** The instruction to use a different file: 'Choose a different state file'. */
  readonly elsewhere: string
  /** The consequence of moving the file away. Absent if the file can be replaced. */
  readonly loss?: string
  /** What to do with a damaged file instead of restoring a backup. */
  readonly remedy?: string
  /** Reads integers as bigint, because node:sqlite throws for an integer that a double cannot hold. */
  readonly readBigInts?: boolean
  readonly applicationId: number
  /** A positive fingerprint of the tables, of 31 bits. A test compares it with them. */
  readonly version: number
  readonly createSql: () => string
}

export const createFileRefusal = (what: string, file: string, schema: Schema): Failure =>
  new Failure('local-state', `${file} ${what}`, {
    advice: `It was left untouched. ${adviseOnFile(schema)}`,
  })

const adviseOnFile = ({ elsewhere, loss, remedy = 'If you have a backup, restore it.' }: Schema): string =>
  loss === undefined ? `${elsewhere}, or move this file away.` : `${remedy} If you move it away, ${loss}.`

const busy = 5
const damaged = 11
const constraint = 19
const notADatabase = 26

const adviceByCode = new Map([
  [busy, 'Another process is writing to it. Run the command again when that process has finished.'],
  [
    constraint,
    'A row is damaged, or orderctl has a defect. Please report it with the command that you typed.',
  ],
])

/** The low byte of an extended code is its primary code. */
const toPrimaryCode = (errcode = 0): number => errcode & 0xff

export const isBusy = (error: unknown): boolean =>
  toPrimaryCode((error as { readonly errcode?: number }).errcode) === busy

/** Converts an error of SQLite or the system to a failure. Returns any other error unchanged. */
export const toFailure = (error: unknown, file: string, schema: Schema): unknown => {
  if (error instanceof Failure) return error
  const { errcode, errno } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode === undefined && errno === undefined) return error
  const code = toPrimaryCode(errcode)
  if (code === damaged) return createFileRefusal('is damaged', file, schema)
  if (code === notADatabase) return createFileRefusal('is not a database', file, schema)
  return new Failure('local-state', `cannot use the ${schema.name} ${file}: ${getErrorReason(error)}`, {
    advice: adviceByCode.get(code) ?? adviseWritable(file, schema),
    retryable: code === busy,
    cause: error,
  })
}

/** Never suggests a different folder for an existing journal, because a new journal would not know its orders. */
const adviseWritable = (file: string, { elsewhere, loss }: Schema): string =>
  loss !== undefined && hasContent(file)
    ? 'Check that you can write to its folder, and that its disk has free space.'
    : `${elsewhere}. You must be able to write to its folder, and its disk must have free space.`

const hasContent = (file: string): boolean => {
  try {
    return statSync(file).size > 0
  } catch {
    return false
  }
}

const memory = ':memory:'

const busyTimeoutMs = 10_000

export const openDatabase = (file: string, schema: Schema): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    if (file !== memory) prepare(file, schema)
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, readBigInts: schema.readBigInts ?? false })
    const isNew = !hasTables(database, file, schema)
    if (isNew) omitRollbackJournal(database)
    if (file !== memory) switchToWal(database)
    // Keeps statement journals in memory. In files, a batch would write more to them than to the journal.
    database.exec('PRAGMA temp_store = MEMORY')
    // On macOS, fsync alone leaves the data in the disk's cache. Other systems ignore the pragma.
    if (schema.loss !== undefined) database.exec('PRAGMA fullfsync = ON')
    // The fsync of the next commit also keeps the tables. Without them, the file is a new one again.
    if (isNew) {
      database.exec('PRAGMA synchronous = NORMAL')
      createTables(database, file, schema)
    }
    database.exec('PRAGMA synchronous = FULL')
    return database
  } catch (error) {
    database?.close()
    throw toFailure(error, file, schema)
  }
}

/**
 * The first page of a new file needs no rollback journal, which takes three fsyncs. If a different process has switched the
 * file to WAL, changing the mode would take it back.
 */
const omitRollbackJournal = (database: DatabaseSync): void => {
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode').get() ?? {}
  if (mode === 'delete') database.exec('PRAGMA journal_mode = MEMORY')
}

const retryMs = 5

// SQLite ignores its busy timeout if several processes switch a new file to WAL at once.
const switchToWal = (database: DatabaseSync): void => {
  // An attempt may itself wait for the busy timeout, so the time counts and not the attempts.
  const endsAt = Date.now() + busyTimeoutMs
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() >= endsAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
    }
  }
}

const createTables = (database: DatabaseSync, file: string, schema: Schema): void =>
  createTransactionRunner(database)(() => {
    // A different process may have created the tables meanwhile.
    if (hasTables(database, file, schema)) return
    database.exec(schema.createSql())
    database.exec(`PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${schema.version}`)
  })

// SQLite would create a file that others can read. It gives -wal and -shm the file's mode.
const prepare = (file: string, schema: Schema): void => {
  const exists = lstatSync(file, { throwIfNoEntry: false }) !== undefined
  // The disk with the target may not be mounted, and a new file would hide the one on that disk.
  if (exists && statSync(file, { throwIfNoEntry: false }) === undefined)
    throw createFileRefusal('is a link to a missing file', file, schema)
  requireRegular(file, schema)
  const descriptor = openSync(file, 'a', 0o600)
  const { size } = fstatSync(descriptor)
  closeSync(descriptor)
  // SQLite treats a file of one byte as empty, and would overwrite it.
  if (size === 1) throw createFileRefusal('is not a database', file, schema)
}

/** Call it before SQLite opens the file and those beside it: opening a pipe would wait for a different process. */
export const requireRegular = (file: string, schema: Schema): void => {
  const real = findBeside(file, '')
  for (const place of [file, `${real}-wal`, `${real}-shm`, `${real}-journal`])
    if (statSync(place, { throwIfNoEntry: false })?.isFile() === false)
      throw createFileRefusal('is not a file', place, schema)
}

const readNumber = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0])

/** Returns false for an empty file. Throws if the file contains other tables. */
export const hasTables = (database: DatabaseSync, file: string, schema: Schema): boolean => {
  if (readNumber(database, 'SELECT count(*) FROM sqlite_schema') === 0) return false
  const { name, applicationId, version: expected, loss, elsewhere } = schema
  if (readNumber(database, 'PRAGMA application_id') !== applicationId) {
    throw createFileRefusal(`is a database, but not a ${name} of orderctl`, file, schema)
  }
  const version = readNumber(database, 'PRAGMA user_version')
  if (version === expected) return true
  const way = loss === undefined ? `${elsewhere}, or move this file away.` : `If you move it away, ${loss}.`
  throw new Failure(
    'other-version',
    `${file} was written by a different version of orderctl (schema ${version}, expected ${expected})`,
    { advice: `It was left untouched. Use the version of orderctl that wrote it. ${way}` },
  )
}

/** Changes nothing in the file and creates no other database. */
export const openForReading = (file: string, schema: Schema): DatabaseSync => {
  try {
    return openReadable(file, file, schema)
  } catch (error) {
    if (error instanceof Failure || hasLog(file)) throw toFailure(error, file, schema)
    // If there is no log, SQLite can read the file without the -shm file, which could not be created.
    try {
      return openReadable(toImmutable(file), file, schema)
    } catch {
      throw toFailure(error, file, schema)
    }
  }
}

/** Reads from the file and closes it. */
export const readDatabase = <Result>(
  file: string,
  schema: Schema,
  read: (database: DatabaseSync) => Result,
): Result => {
  try {
    using database = openForReading(file, schema)
    return read(database)
  } catch (error) {
    throw toFailure(error, file, schema)
  }
}

/**
 * Leaves no trace: SQLite itself would create -wal and -shm files beside it, even for a reader. Undefined if a crash
 * left a log that a command must first write into the file.
 */
export const readUntouched = <Result>(
  file: string,
  schema: Schema,
  read: (database: DatabaseSync) => Result,
): Result | undefined => {
  const readFrom = (location: string | URL): Result => {
    using database = openReadable(location, file, schema)
    return read(database)
  }
  try {
    if (!hasLog(file)) return readFrom(toImmutable(file))
    return existsSync(findBeside(file, '-shm')) ? readFrom(file) : undefined
  } catch (error) {
    throw toFailure(error, file, schema)
  }
}

const openReadable = (location: string | URL, file: string, schema: Schema): DatabaseSync => {
  requireRegular(file, schema)
  const database = new DatabaseSync(location, { readOnly: true, readBigInts: schema.readBigInts ?? false })
  try {
    if (hasTables(database, file, schema)) return database
    throw new Failure('local-state', `${file} is empty`, {
      fix: (suggest) => suggest`list`,
      advice: (suggest) => `Run ${suggest`list`} once with write access to the file.`,
    })
  } catch (error) {
    database.close()
    throw error
  }
}

const toImmutable = (file: string): URL => {
  const location = pathToFileURL(file)
  location.search = 'immutable=1'
  return location
}

const hasLog = (file: string): boolean =>
  (statSync(findBeside(file, '-wal'), { throwIfNoEntry: false })?.size ?? 0) > 0

/** SQLite keeps its other files beside the one that a link leads to. */
const findBeside = (file: string, ending: string): string =>
  `${existsSync(file) ? realpathSync.native(file) : file}${ending}`
