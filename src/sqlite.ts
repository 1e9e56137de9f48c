// A SQLite file of ours, opened safely: a leaf, as errors.ts is. What is not ours is refused and left untouched.
import { closeSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Failure } from './errors.ts'
import { reasonOf } from './files.ts'

export type Schema = {
  /** What the file is to a person: 'state file'. */
  readonly name: string
  /** How to have it elsewhere: 'Name another state file'. */
  readonly elsewhere: string
  readonly applicationId: number
  /** Each takes the file from one version to the next; the first makes it. None is ever changed. */
  readonly steps: readonly Step[]
}

type Step = string | ((database: DatabaseSync) => void)

const memory = ':memory:'

const busyTimeoutMs = 10_000

export const openDatabase = (file: string, schema: Schema): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    if (file !== memory) prepare(file, schema)
    database = new DatabaseSync(file, { timeout: busyTimeoutMs })
    const version = inspect(database, file, schema)
    if (file !== memory) database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    if (version < schema.steps.length) migrate(database, file, schema)
    return database
  } catch (error) {
    database?.close()
    throw asFailure(error, file, schema)
  }
}

/** Where it may not be written: nothing is made or changed, and nobody is waited for. */
export const openToRead = (file: string, schema: Schema): DatabaseSync => {
  try {
    return readable(file, file, schema)
  } catch (error) {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
    if (error instanceof Failure || (log !== undefined && log.size > 0)) throw asFailure(error, file, schema)
    // Without a log, it can be read without the file of locks, which could not be made.
    const location = pathToFileURL(file)
    location.search = 'immutable=1'
    try {
      return readable(location, file, schema)
    } catch {
      throw asFailure(error, file, schema)
    }
  }
}

const readable = (location: string | URL, file: string, schema: Schema): DatabaseSync => {
  const database = new DatabaseSync(location, { readOnly: true })
  try {
    if (inspect(database, file, schema) === schema.steps.length) return database
    throw new Failure('local-state', `${file} is empty, or of an older orderctl`)
  } catch (error) {
    database.close()
    throw error
  }
}

/** To look at alone: makes nothing, changes nothing, and waits for nobody. */
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

// Made by us first: SQLite would make it readable for others, and gives its -wal and -shm the same mode.
const prepare = (file: string, schema: Schema): void => {
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined
  const stats = isThere ? statSync(file, { throwIfNoEntry: false }) : undefined
  const refused = (what: string) => new Failure('local-state', `${file} ${what}`, otherFile(schema))
  // To make one there would put it where nobody looks for it, on a disk that is not mounted for one.
  if (isThere && stats === undefined) throw refused('is a link that leads nowhere')
  // A pipe would be waited for until somebody reads it.
  if (stats?.isFile() === false) throw refused('is not a file')
  const descriptor = openSync(file, 'a', 0o600)
  const { size } = fstatSync(descriptor)
  closeSync(descriptor)
  // SQLite takes a file of one byte for an empty one, and would write over it.
  if (size === 1) throw refused('is not a database')
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

// The version that the file has, 0 where it is still empty; throws where it is somebody else's.
const inspect = (database: DatabaseSync, file: string, schema: Schema): number => {
  const { name, applicationId, steps } = schema
  const read = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0])
  if (read('SELECT count(*) FROM sqlite_schema') === 0) return 0
  if (read('PRAGMA application_id') !== applicationId) {
    throw new Failure(
      'local-state',
      `${file} is a database, but not a ${name} of orderctl`,
      otherFile(schema),
    )
  }
  const version = read('PRAGMA user_version')
  if (version >= 1 && version <= steps.length) return version
  const age = version > steps.length ? 'a newer' : 'another'
  throw new Failure(
    'local-state',
    `${file} was written by ${age} orderctl (schema ${version}, this one knows ${steps.length})`,
    otherFile(schema),
  )
}

const otherFile = ({ elsewhere }: Schema) => ({
  fix: `It was left untouched. ${elsewhere}, or move this one away.`,
})

// Two processes may both have found it old: the second then finds it as the first one left it.
const migrate = (database: DatabaseSync, file: string, schema: Schema): void =>
  transactions(database)(() => {
    for (const step of schema.steps.slice(inspect(database, file, schema))) {
      if (typeof step === 'string') database.exec(step)
      else step(database)
    }
    database.exec(
      `PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${schema.steps.length}`,
    )
  })

const notADatabase = 26
const damaged = 11

/** What SQLite says as a failure of ours; any other error as it is. */
export const asFailure = (error: unknown, file: string, schema: Schema): unknown => {
  if (error instanceof Failure) return error
  const { errcode, errno } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode === undefined && errno === undefined) return error
  // Extended codes name the reason in their upper bytes.
  const code = (errcode ?? 0) & 0xff
  if (code === notADatabase || code === damaged) {
    const what = code === damaged ? 'damaged' : 'not a database'
    return new Failure('local-state', `${file} is ${what}`, otherFile(schema))
  }
  return new Failure('local-state', `cannot use the ${schema.name} ${file}: ${reasonOf(error)}`, {
    fix: `${schema.elsewhere}; its folder must exist, be yours to write to, and have room.`,
    cause: error,
  })
}
