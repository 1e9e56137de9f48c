// Reads a SQLite file of orderctl, and never waits for a lock.
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Failure } from '../errors.ts'
import { toFailure } from './failure.ts'
import { requireTables } from './open.ts'
import type { Schema } from './schema.ts'

/** Changes nothing in the file, and creates no other database. */
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
): Result => useDatabase(openForReading(file, schema), file, schema, read)

/**
 * Leaves no trace: SQLite itself would create -wal and -shm files beside it, also for a reader. Undefined if a crash left
 * a log that a command must first write into the file.
 */
export const readUntouched = <Result>(
  file: string,
  schema: Schema,
  read: (database: DatabaseSync) => Result,
): Result | undefined => {
  const readFrom = (location: string | URL): Result =>
    useDatabase(openReadable(location, file, schema), file, schema, read)
  const hasIndex = (): boolean => existsSync(`${file}-shm`)
  try {
    if (hasLog(file)) return hasIndex() ? readFrom(file) : undefined
    try {
      return readFrom(toImmutable(file))
    } catch (error) {
      // Another process may have begun to write meanwhile.
      if (!hasLog(file) || !hasIndex()) throw error
      return readFrom(file)
    }
  } catch (error) {
    throw toFailure(error, file, schema)
  }
}

const openReadable = (location: string | URL, file: string, schema: Schema): DatabaseSync => {
  const database = new DatabaseSync(location, { readOnly: true, readBigInts: schema.readBigInts ?? false })
  try {
    requireTables(database, file, schema)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const useDatabase = <Result>(
  database: DatabaseSync,
  file: string,
  schema: Schema,
  read: (database: DatabaseSync) => Result,
): Result => {
  try {
    return read(database)
  } catch (error) {
    throw toFailure(error, file, schema)
  } finally {
    database.close()
  }
}

const toImmutable = (file: string): URL => {
  const location = pathToFileURL(file)
  location.search = 'immutable=1'
  return location
}

const hasLog = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
