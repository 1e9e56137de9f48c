// Small functions for code that writes files. Also the path of a program that Windows includes.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { getSystemErrorMessage } from 'node:util'

/** The system's message for an error number. SQLite's and conf's errors have no number and keep their own message. */
export const getErrorReason = (error: unknown): string => {
  const { errno, message } = error as NodeJS.ErrnoException
  // rmSync reports the number without its sign.
  return typeof errno === 'number' && errno !== 0 ? getSystemErrorMessage(-Math.abs(errno)) : message
}

/** Creates one folder at a time, because a recursive mkdir can hang if a parent cannot be created (below /proc). */
export const makeFolder = (folder: string, mode?: number): void => {
  if (existsSync(folder)) return
  const parent = path.dirname(folder)
  // A Windows drive may not exist and has no parent.
  if (parent !== folder) makeFolder(parent, mode)
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    // A different process may have created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Flushes the entries of a folder to disk. */
export const syncFolder = (folder: string): void => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
  } catch {
    // Windows cannot open a folder. The files exist, but might not survive a power failure.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * When this returns, the complete file is on disk. If it throws, there is none. Until then, the bytes are in
 * `.NAME.new`.
 */
export const writeDurably = (file: string, bytes: Uint8Array): void => {
  const folder = path.dirname(file)
  const temporary = path.join(folder, `.${path.basename(file)}.new`)
  // A killed process may have left it.
  rmSync(temporary, { force: true })
  try {
    const descriptor = openSync(temporary, 'wx', 0o600)
    try {
      // A full disk may accept only a part of the bytes.
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(folder)
}

/** `name` is a path in the folder System32. */
export const findWindowsProgram = (
  name: string,
  { SystemRoot }: Readonly<Record<string, string | undefined>>,
): string => `${SystemRoot || 'C:/Windows'}/System32/${name}`
