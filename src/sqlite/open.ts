// Opens a SQLite file of orderctl, or creates it. Refuses any other file and leaves it untouched.
import { closeSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { createFileRefusal, toFailure } from './failure.ts'
import type { Schema } from './schema.ts'
import { createTransactionRunner } from './transactions.ts'

const memory = ':memory:'

const busyTimeoutMs = 10_000

export const openDatabase = (file: string, schema: Schema): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    if (file !== memory) prepare(file, schema)
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, readBigInts: schema.readBigInts ?? false })
    const isNew = !hasTables(database, file, schema)
    if (file !== memory) database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    // On macOS, fsync alone leaves the data in the cache of the disk. Other systems ignore the pragma.
    if (schema.loss !== undefined) database.exec('PRAGMA fullfsync = ON')
    if (isNew) createOnce(database, file, schema)
    return database
  } catch (error) {
    database?.close()
    throw toFailure(error, file, schema)
  }
}

const createOnce = (database: DatabaseSync, file: string, schema: Schema): void =>
  createTransactionRunner(database)(() => {
    // Another process may have created the tables meanwhile.
    if (!hasTables(database, file, schema)) createTables(database, schema)
  })

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

const readNumber = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0])

/** Returns false for an empty file. Throws if the file has other tables. */
const hasTables = (database: DatabaseSync, file: string, schema: Schema): boolean => {
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
const createTables = (database: DatabaseSync, { applicationId, version, createSql }: Schema): void => {
  database.exec(createSql())
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
}
