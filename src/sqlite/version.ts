// Reads the schema version of a SQLite file.
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { createFileRefusal } from './failure.ts'
import type { Schema } from './schema.ts'

const readNumber = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0])

/** Returns 0 for an empty file. Throws if the file has another schema. */
export const readVersion = (database: DatabaseSync, file: string, schema: Schema): number => {
  const { name, applicationId, steps } = schema
  if (readNumber(database, 'SELECT count(*) FROM sqlite_schema') === 0) return 0
  if (readNumber(database, 'PRAGMA application_id') !== applicationId) {
    throw createFileRefusal(`is a database, but not a ${name} of orderctl`, file, schema)
  }
  const version = readNumber(database, 'PRAGMA user_version')
  if (version >= 1 && version <= steps.length) return version
  const versions = `(schema ${version}, expected ${steps.length})`
  if (version <= steps.length)
    throw createFileRefusal(`was written by another orderctl ${versions}`, file, schema)
  throw new Failure('local-state', `${file} was written by a newer orderctl ${versions}`, {
    fix: 'Update orderctl. The file was left untouched.',
  })
}
