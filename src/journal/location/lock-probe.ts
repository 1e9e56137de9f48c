// Tests whether file locks work in a folder. Only a second process can test that, because POSIX locks belong to a
// process.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Whether another process sees that the SQLite file is locked. */
export type IsLockSeen = (file: string) => Promise<boolean>

/** Tests with a new file, because the test could damage a journal. */
export const canLockFiles = async (folder: string, isLockSeen: IsLockSeen): Promise<boolean> => {
  const scratch = mkdtempSync(path.join(folder, '.lock-probe-'))
  try {
    const file = path.join(scratch, 'probe.db')
    using database = new DatabaseSync(file)
    return lock(database) && (await isLockSeen(file))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const lock = (database: DatabaseSync): boolean => {
  try {
    database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; CREATE TABLE probe (held)')
  } catch (error) {
    if (isLockError(error)) return false
    throw error
  }
  return takeLock(database)
}

/** The output of the other process. */
export const probeResults = { locked: 'locked\n', free: 'free\n' } as const

/** Runs in the other process. */
export const isLocked = (file: string): boolean => {
  // SQLite would create a missing file.
  if (!existsSync(file)) throw new Error(`${file} does not exist`)
  using database = new DatabaseSync(file)
  return !takeLock(database)
}

const takeLock = (database: DatabaseSync): boolean => {
  try {
    // Prepared, because in Deno an error of exec() has no errcode.
    database.prepare('BEGIN EXCLUSIVE').run()
    return true
  } catch (error) {
    if (isLockError(error)) return false
    throw error
  }
}

// SQLITE_BUSY, SQLITE_PROTOCOL and SQLITE_IOERR_UNLOCK, _RDLOCK, _CHECKRESERVEDLOCK, _LOCK, _SHMLOCK, _SHMMAP.
const lockErrors = new Set([5, 15, 2058, 2314, 3594, 3850, 5130, 5386])

const isLockError = (error: unknown): boolean => lockErrors.has((error as { errcode?: number }).errcode ?? 0)
