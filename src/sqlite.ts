// A SQLite file of ours, opened safely: a leaf, as errors.ts is. What is not ours is refused and left untouched.
import { closeSync, fstatSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { getSystemErrorMessage } from 'node:util'
import { Failure } from './errors.ts'

export type Schema = {
  /** What the file is to a person: 'state file'. */
  readonly name: string
  readonly applicationId: number
  readonly version: number
  readonly create: string
}

const memory = ':memory:'

const busyTimeoutMs = 10_000

export const openDatabase = (file: string, schema: Schema): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    if (file !== memory) prepare(file, schema)
    database = new DatabaseSync(file, { timeout: busyTimeoutMs })
    const isNew = inspect(database, file, schema)
    if (file !== memory) database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    if (isNew) create(database, file, schema)
    return database
  } catch (error) {
    database?.close()
    throw asFailure(error, file, schema)
  }
}

// Made by us first: SQLite would make it readable for others, and gives its -wal and -shm the same mode.
const prepare = (file: string, { name }: Schema): void => {
  const descriptor = openSync(file, 'a', 0o600)
  const { size } = fstatSync(descriptor)
  closeSync(descriptor)
  // SQLite takes a file of one byte for an empty one, and would write over it.
  if (size === 1) throw new Failure('local-state', `${file} is not a database`, otherFile(name))
}

/** Runs all of the work or nothing of it; takes the write lock at once, so that it never has to give up half way. */
export const transactions = (database: DatabaseSync): (<Result>(work: () => Result) => Result) => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  return (work) => {
    if (database.isTransaction) return work()
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      if (database.isTransaction) rollback.run()
      throw error
    }
  }
}

// Whether the file is still empty; throws where it is somebody else's.
const inspect = (database: DatabaseSync, file: string, { name, applicationId, version }: Schema): boolean => {
  const read = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0])
  if (read('SELECT count(*) FROM sqlite_schema') === 0) return true
  if (read('PRAGMA application_id') !== applicationId) {
    throw new Failure('local-state', `${file} is a database, but not a ${name} of orderctl`, otherFile(name))
  }
  const found = read('PRAGMA user_version')
  if (found !== version) {
    const age = found > version ? 'a newer' : 'another'
    throw new Failure(
      'local-state',
      `${file} was written by ${age} orderctl (schema ${found}, this one reads ${version})`,
      otherFile(name),
    )
  }
  return false
}

const otherFile = (name: string) => ({
  fix: `It was left untouched. Name another ${name}, or move this one away.`,
})

// Two processes may both have found it empty: the second then finds the first one's tables.
const create = (database: DatabaseSync, file: string, schema: Schema): void =>
  transactions(database)(() => {
    if (!inspect(database, file, schema)) return
    database.exec(schema.create)
    database.exec(`PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${schema.version}`)
  })

const notADatabase = 26

const asFailure = (error: unknown, file: string, { name }: Schema): unknown => {
  if (error instanceof Failure) return error
  const { errcode, errno, message } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode === notADatabase) {
    return new Failure('local-state', `${file} is not a database`, otherFile(name))
  }
  const why = errno === undefined ? message : getSystemErrorMessage(errno)
  return new Failure('local-state', `cannot open the ${name} ${file}: ${why}`, {
    fix: 'Name a file in a folder that exists and that you may write to.',
    cause: error,
  })
}
