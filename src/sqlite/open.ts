// Opens a SQLite file of orderctl. Refuses any other file and leaves it untouched.
import { closeSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Failure } from '../errors.ts'
import { createFileRefusal, toFailure } from './failure.ts'
import { migrate } from './migrate.ts'
import type { Schema } from './schema.ts'
import { readVersion } from './version.ts'

const memory = ':memory:'

const busyTimeoutMs = 10_000

const getOptions = ({ readBigInts = false }: Schema) => ({ readBigInts })

export const openDatabase = (file: string, schema: Schema): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    if (file !== memory) prepare(file, schema)
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, ...getOptions(schema) })
    const version = readVersion(database, file, schema)
    if (file !== memory) database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    // On macOS, fsync alone leaves the data in the cache of the disk. Other systems ignore the pragma.
    if (schema.loss !== undefined) database.exec('PRAGMA fullfsync = ON')
    if (version < schema.steps.length) migrate(database, file, schema, busyTimeoutMs)
    return database
  } catch (error) {
    database?.close()
    throw toFailure(error, file, schema)
  }
}

/** Creates and changes nothing, and never waits for a lock. */
export const openForReading = (file: string, schema: Schema, isAnyVersion = false): DatabaseSync => {
  try {
    return openReadable(file, file, schema, isAnyVersion)
  } catch (error) {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
    if (error instanceof Failure || (log !== undefined && log.size > 0)) throw toFailure(error, file, schema)
    // If there is no log, SQLite can read the file without the -shm file, which could not be created.
    const location = pathToFileURL(file)
    location.search = 'immutable=1'
    try {
      return openReadable(location, file, schema, isAnyVersion)
    } catch {
      throw toFailure(error, file, schema)
    }
  }
}

const openReadable = (
  location: string | URL,
  file: string,
  schema: Schema,
  isAnyVersion: boolean,
): DatabaseSync => {
  const database = new DatabaseSync(location, { readOnly: true, ...getOptions(schema) })
  try {
    const version = readVersion(database, file, schema)
    if (version === schema.steps.length || isAnyVersion) return database
    throw new Failure(
      'local-state',
      version === 0 ? `${file} is empty` : `${file} was written by an older orderctl and is not updated yet`,
      { fix: 'Run orderctl list once with write access to the file.' },
    )
  } catch (error) {
    database.close()
    throw error
  }
}

/** Reads from the file and closes it. Creates and changes nothing, and never waits for a lock. */
export const readDatabase = <Result>(
  file: string,
  schema: Schema,
  read: (database: DatabaseSync) => Result,
): Result => {
  const database = openForReading(file, schema)
  try {
    return read(database)
  } catch (error) {
    throw toFailure(error, file, schema)
  } finally {
    database.close()
  }
}

/** Like readDatabase, but also reads a file that an older orderctl wrote, or an empty one (version 0). */
export const readAnyVersion = <Result>(
  file: string,
  schema: Schema,
  read: (database: DatabaseSync, version: number) => Result,
): Result => {
  const database = openForReading(file, schema, true)
  try {
    return read(database, readVersion(database, file, schema))
  } catch (error) {
    throw toFailure(error, file, schema)
  } finally {
    database.close()
  }
}

// SQLite would create a file that others can read. It gives -wal and -shm the mode of the file.
const prepare = (file: string, schema: Schema): void => {
  const exists = lstatSync(file, { throwIfNoEntry: false }) !== undefined
  const stats = exists ? statSync(file, { throwIfNoEntry: false }) : undefined
  // The disk with the target may not be mounted, and a new file would hide the one on that disk.
  if (exists && stats === undefined) throw createFileRefusal('is a link to a missing file', file, schema)
  // Opening a pipe would wait until another process reads it.
  if (stats?.isFile() === false) throw createFileRefusal('is not a file', file, schema)
  const descriptor = openSync(file, 'a', 0o600)
  const { size } = fstatSync(descriptor)
  closeSync(descriptor)
  // SQLite treats a file of one byte as empty, and would overwrite it.
  if (size === 1) throw createFileRefusal('is not a database', file, schema)
}
