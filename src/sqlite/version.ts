// Which version of its schema a SQLite file has.
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { refusedFile } from './failure.ts'
import type { Schema } from './schema.ts'

/** The number that a pragma or a count answers. */
const readNumber = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0])

/** 0 if the file is still empty. Throws if it is not a file of this schema. */
export const versionOf = (database: DatabaseSync, file: string, schema: Schema): number => {
  const { name, applicationId, steps } = schema
  if (readNumber(database, 'SELECT count(*) FROM sqlite_schema') === 0) return 0
  if (readNumber(database, 'PRAGMA application_id') !== applicationId) {
    throw refusedFile(`is a database, but not a ${name} of orderctl`, file, schema)
  }
  const version = readNumber(database, 'PRAGMA user_version')
  if (version >= 1 && version <= steps.length) return version
  const known = `(schema ${version}, this one knows ${steps.length})`
  if (version <= steps.length) throw refusedFile(`was written by another orderctl ${known}`, file, schema)
  throw new Failure('local-state', `${file} was written by a newer orderctl ${known}`, {
    fix: 'Update orderctl. The file was left untouched.',
  })
}
