// Allows one listener at a time to forward the deliveries of a spool. The lock is SQLite's on an empty file, and the
// system releases it when the process ends.
import { closeSync, existsSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, syncFolder } from '../files.ts'

const lockFile = 'lock'
const busyCode = 5
/** `isSpoolLocked` holds the lock for a moment. */
const probeMs = 1_000

/** Undefined if another process holds the lock. */
export const lockSpool = (folder: string): { release(): void } | undefined => {
  makeFolder(folder, 0o700)
  // A delivery must survive a power failure, and so must its new folders.
  syncFolder(path.dirname(folder))
  syncFolder(path.dirname(path.dirname(folder)))
  return takeLock(path.join(folder, lockFile), probeMs)
}

/** Creates nothing. */
export const isSpoolLocked = (folder: string): boolean => {
  const file = path.join(folder, lockFile)
  if (!existsSync(file)) return false
  const lock = takeLock(file)
  lock?.release()
  return lock === undefined
}

const takeLock = (file: string, timeout = 0): { release(): void } | undefined => {
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout })
  try {
    // Nothing is written, so the lock works on a full disk and leaves no journal file.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (((error as { errcode?: number }).errcode ?? 0) === busyCode) return undefined
    throw error
  }
}
