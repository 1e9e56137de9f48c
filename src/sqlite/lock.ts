// Allows one writer at a time, and shows what still runs. The lock is SQLite's on an empty file. The system releases it when
// the process ends, so a stale lock is impossible.
import { closeSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Failure } from '../errors.ts'
import { makeFolder } from '../files.ts'
import { isBusy } from './open.ts'

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
 * What the processes of this machine work on: a file with the name of each work. The first file of a process has its lock, and
 * the others are links to it. A reused process id, another container or a suspended process cannot mislead, if the locks of the
 * file system work. A mark only saves a wait, so without one the work goes on.
 */
export const openMarks = (folder: string) => {
  let first: { readonly name: string; readonly lock: DatabaseSync } | undefined
  const marked = new Set<string>()
  const fileOf = (name: string): string => path.join(folder, name)
  const removeFile = (name: string): void => {
    try {
      rmSync(fileOf(name), { force: true })
    } catch {
      // Of another user, or not a folder.
    }
  }
  /** A file with this name is locked, unless its process has ended. */
  const lockFirst = (name: string): void => {
    let lock: DatabaseSync | undefined
    try {
      makeFolder(folder, 0o700)
      lock = takeLock(fileOf(`${name}.new`))
      if (lock === undefined) return
      renameSync(fileOf(`${name}.new`), fileOf(name))
      first = { name, lock }
    } catch {
      removeFile(`${name}.new`)
      lock?.close()
    }
  }
  return {
    /** Windows cannot rename a locked file. There, on a full disk and without links, the work is not marked. */
    set: (name: string): void => {
      marked.add(name)
      try {
        if (first === undefined) lockFirst(name)
        else linkSync(fileOf(first.name), fileOf(name))
      } catch {
        // Without a mark, other processes wait for the deadline of the work.
      }
    },
    /** The first file remains until all work of the process has ended. */
    remove: (name: string): void => {
      marked.delete(name)
      if (name !== first?.name) removeFile(name)
      if (first === undefined || marked.size > 0) return
      removeFile(first.name)
      first.lock.close()
      first = undefined
    },
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
