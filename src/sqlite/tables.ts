// The tables of a SQLite file of orderctl. A file has exactly the tables of its schema, or is refused
// (docs/decisions/0015-refuse-a-journal-of-another-version.md).
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { createFileRefusal } from './failure.ts'
import type { Schema } from './schema.ts'

const readNumber = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0])

/** Returns false for an empty file. Throws if the file has other tables. */
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
    'local-state',
    `${file} was written by another version of orderctl (schema ${version}, expected ${expected})`,
    { fix: `It was left untouched. Use the version of orderctl that wrote it. ${way}` },
  )
}

export const requireTables = (database: DatabaseSync, file: string, schema: Schema): void => {
  if (hasTables(database, file, schema)) return
  throw new Failure('local-state', `${file} is empty`, {
    fix: (suggest) => `Run this once with write access to the file: ${suggest`list`}`,
  })
}

/** The caller holds the write lock. */
export const createTables = (database: DatabaseSync, { applicationId, version, createSql }: Schema): void => {
  database.exec(createSql())
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
}
