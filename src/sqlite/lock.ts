// Allows one writer at a time. The lock is SQLite's on an empty file. The system releases it when
// the process ends, so a stale lock is impossible.
import { closeSync, lstatSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { isBusy } from './failure.ts'

const waitMs = 10_000

/** The work must be synchronous, because the lock is released when it returns. */
export const withLock = <Result>(file: string, work: () => Result): Result => {
  using lock = takeLock(file, waitMs)
  if (lock === undefined) {
    throw new Failure('local-state', `another orderctl has locked ${file} for ${waitMs / 1000} seconds`, {
      advice: 'Nothing was changed. Wait until it ends, then run this command again.',
      retryable: true,
    })
  }
  return work()
}

/** Undefined if a different process still holds the lock after `timeout`. To release the lock, close the database. */
export const takeLock = (file: string, timeout = 0): DatabaseSync | undefined => {
  createPrivately(file)
  const database = new DatabaseSync(file, { timeout })
  try {
    // With a journal in memory, nothing is written, so the lock works on a full disk and leaves no journal file.
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

const createPrivately = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
      throw new Failure('local-state', `${file} is not a file`, {
        advice: 'Nothing was changed. Move it away, then run this command again.',
        field: file,
      })
    }
  }
}
