// Allows one writer at a time, and shows what still runs. The lock is SQLite's on an empty file. The system releases it when
// the process ends, so a stale lock is impossible.
import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Failure } from '../errors.ts'
import { makeFolder } from '../files.ts'
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
  return lockDatabase(new DatabaseSync(file, { timeout }))
}

const lockDatabase = (database: DatabaseSync): DatabaseSync | undefined => {
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

/**
 * What the processes of this machine work on: each holds the lock on a file with the name of its work. A reused process id,
 * another container or a suspended process cannot mislead, if the locks of the file system work. A mark only saves a wait,
 * so without one the work goes on.
 */
export const openMarks = (folder: string) => {
  const held = new Map<string, DatabaseSync>()
  const fileOf = (name: string): string => path.join(folder, name)
  const remove = (name: string, file: string): void => {
    try {
      rmSync(file, { force: true })
    } catch {
      // Of another user, or not a folder.
    }
    held.get(name)?.close()
    held.delete(name)
  }
  return {
    /** Windows cannot rename a locked file. There and on a full disk, the work is not marked. */
    set: (name: string): void => {
      const unlocked = fileOf(`${name}.new`)
      try {
        makeFolder(folder, 0o700)
        const lock = takeLock(unlocked)
        if (lock !== undefined) held.set(name, lock)
        // So a file with this name is locked, unless its process has ended.
        renameSync(unlocked, fileOf(name))
      } catch {
        remove(name, unlocked)
      }
    },
    remove: (name: string): void => remove(name, fileOf(name)),
    /** Whether the process that set the mark has ended. False without a mark. */
    isLeft: (name: string): boolean => {
      try {
        // Fails if there is no such file.
        using lock = lockDatabase(new DatabaseSync(`${pathToFileURL(fileOf(name))}?mode=rw`))
        return lock !== undefined
      } catch {
        return false
      }
    },
  }
}
