// Opens a SQLite file of orderctl. A file that is not ours is refused and left untouched.
import { closeSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Failure } from '../errors.ts'
import { asFailure, refusedFile } from './failure.ts'
import { migrate } from './migrate.ts'
import type { Schema } from './schema.ts'
import { versionOf } from './version.ts'

const memory = ':memory:'

const busyTimeoutMs = 10_000

const optionsOf = ({ readBigInts = false }: Schema) => ({ readBigInts })

export const openDatabase = (file: string, schema: Schema): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    if (file !== memory) prepare(file, schema)
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, ...optionsOf(schema) })
    const version = versionOf(database, file, schema)
    if (file !== memory) database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    if (version < schema.steps.length) migrate(database, file, schema, busyTimeoutMs)
    return database
  } catch (error) {
    database?.close()
    throw asFailure(error, file, schema)
  }
}

/** For a file that may not be written: creates and changes nothing, and waits for nobody. */
export const openToRead = (file: string, schema: Schema): DatabaseSync => {
  try {
    return openReadable(file, file, schema)
  } catch (error) {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
    if (error instanceof Failure || (log !== undefined && log.size > 0)) throw asFailure(error, file, schema)
    // Without a log, the file can be read without the -shm file, which could not be created.
    const location = pathToFileURL(file)
    location.search = 'immutable=1'
    try {
      return openReadable(location, file, schema)
    } catch {
      throw asFailure(error, file, schema)
    }
  }
}

const openReadable = (location: string | URL, file: string, schema: Schema): DatabaseSync => {
  const database = new DatabaseSync(location, { readOnly: true, ...optionsOf(schema) })
  try {
    const version = versionOf(database, file, schema)
    if (version === schema.steps.length) return database
    throw new Failure(
      'local-state',
      version === 0 ? `${file} is empty` : `${file} was written by an older orderctl and is not updated yet`,
      { fix: 'Run orderctl list where the file can be written.' },
    )
  } catch (error) {
    database.close()
    throw error
  }
}

/** Reads from the file and closes it: creates and changes nothing, and waits for nobody. */
export const lookInto = <Result>(
  file: string,
  schema: Schema,
  look: (database: DatabaseSync) => Result,
): Result => {
  const database = openToRead(file, schema)
  try {
    return look(database)
  } catch (error) {
    throw asFailure(error, file, schema)
  } finally {
    database.close()
  }
}

// SQLite would create a file that others can read, and gives its -wal and -shm the mode of the file.
const prepare = (file: string, schema: Schema): void => {
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined
  const stats = isThere ? statSync(file, { throwIfNoEntry: false }) : undefined
  // Its disk may not be mounted: a new file would hide the one on that disk.
  if (isThere && stats === undefined) throw refusedFile('is a link to a missing file', file, schema)
  // To open a pipe would wait until another process reads it.
  if (stats?.isFile() === false) throw refusedFile('is not a file', file, schema)
  const descriptor = openSync(file, 'a', 0o600)
  const { size } = fstatSync(descriptor)
  closeSync(descriptor)
  // SQLite takes a file of one byte for an empty one, and would overwrite it.
  if (size === 1) throw refusedFile('is not a database', file, schema)
}
