// One writer at a time. The lock is SQLite's on an empty file: the system gives it back when its holder dies,
// so there is none to be found stale, and none to be broken by mistake.
import { closeSync, lstatSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'

const waitMs = 10_000

const busy = 5

/** The work must not wait for anything: it is done when it returns. */
export const withLock = <Result>(file: string, work: () => Result): Result => {
  createPrivately(file)
  const database = new DatabaseSync(file, { timeout: waitMs })
  try {
    // In memory: nothing is ever written to it, so that a full disk does not matter, and no journal is left over.
    database.exec('PRAGMA journal_mode = MEMORY')
    take(database, file)
    return work()
  } finally {
    database.close()
  }
}

const take = (database: DatabaseSync, file: string): void => {
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode !== busy) throw error
    throw new Failure('local-state', `another orderctl has held ${file} for ${waitMs / 1000} seconds`, {
      fix: 'Nothing was changed. Let it end, then run this again.',
      retryable: true,
      cause: error,
    })
  }
}

const createPrivately = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
      throw new Failure('local-state', `${file} is not a file`, {
        fix: 'Nothing was changed. Move it away.',
        field: file,
      })
    }
  }
}
