// What every writer of files needs: a leaf, as errors.ts is.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { getSystemErrorMessage } from 'node:util'

/** In the system's words. Errors of SQLite and conf have no number of the system, and words of their own. */
export const reasonOf = (error: unknown): string => {
  const { errno, message } = error as NodeJS.ErrnoException
  // rmSync gives the number without its sign.
  return typeof errno === 'number' && errno !== 0 ? getSystemErrorMessage(-Math.abs(errno)) : message
}

/** A folder at a time: a recursive mkdir can hang where a parent cannot be made, below /proc for one. */
export const makeFolder = (folder: string, mode?: number): void => {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder), mode)
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Its entries on the disk. Where a folder cannot be opened, as on Windows, the system keeps it in its own time. */
export const keepFolder = (folder: string): void => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
  } catch {
    // The files stand; they are only not sure to outlive a power cut.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
