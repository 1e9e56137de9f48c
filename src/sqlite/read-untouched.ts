// Reads a SQLite file and leaves no trace. SQLite itself would create -wal and -shm files beside it, also for a reader.
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { toFailure } from './failure.ts'
import type { Schema } from './schema.ts'
import { readVersion } from './version.ts'

/** Version 0 is an empty file. Undefined if a crash left a log that a command must first write into the file. */
export const readUntouched = <Result>(
  file: string,
  schema: Schema,
  read: (database: DatabaseSync, version: number) => Result,
): Result | undefined => {
  const readFrom = (location: string | URL): Result => {
    const database = new DatabaseSync(location, {
      readOnly: true,
      readBigInts: schema.readBigInts ?? false,
    })
    try {
      return read(database, readVersion(database, file, schema))
    } finally {
      database.close()
    }
  }
  try {
    if (hasLog(file)) return existsSync(`${file}-shm`) ? readFrom(file) : undefined
    const location = pathToFileURL(file)
    location.search = 'immutable=1'
    try {
      return readFrom(location)
    } catch (error) {
      // Another process may have begun to write meanwhile.
      if (!hasLog(file) || !existsSync(`${file}-shm`)) throw error
      return readFrom(file)
    }
  } catch (error) {
    throw toFailure(error, file, schema)
  }
}

const hasLog = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
