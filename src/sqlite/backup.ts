// Makes a full backup beside a SQLite file before its schema is updated. Only the owner can read it.
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../files.ts'

/** `journal.db.v1.backup`, or `journal.db.v1.backup-2` if that exists, because a backup is never overwritten. */
const findFreeName = (file: string, version: number): string => {
  const first = `${file}.v${version}.backup`
  let name = first
  for (let count = 2; existsSync(name); count += 1) name = `${first}-${count}`
  return name
}

const backupForm = /^\.v(\d+)\.backup(?:-(\d+))?$/

/** The newest backup is last. */
export const findBackups = (file: string): string[] => {
  const folder = path.dirname(file)
  const name = path.basename(file)
  return listNames(folder)
    .filter((each) => each.startsWith(name))
    .map((each) => ({ each, found: backupForm.exec(each.slice(name.length)) }))
    .filter(({ found }) => found !== null)
    .map(({ each, found }) => ({ each, version: Number(found?.[1]), count: Number(found?.[2] ?? 1) }))
    .sort((one, other) => one.version - other.version || one.count - other.count)
    .map(({ each }) => path.join(folder, each))
}

const listNames = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The caller must hold the write lock, so that no other process makes a backup at the same time. */
export const backUp = (file: string, version: number): string => {
  const unfinished = `${file}.backup-unfinished`
  rmSync(unfinished, { force: true })
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    // SQLite would create a file that others can read, but it accepts an existing empty file.
    closeSync(openSync(unfinished, 'wx', 0o600))
    database.prepare('VACUUM INTO ?').run(unfinished)
    synchronise(unfinished)
    const backup = findFreeName(file, version)
    renameSync(unfinished, backup)
    syncFolder(path.dirname(backup))
    return backup
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  } finally {
    database.close()
  }
}

// VACUUM INTO does not flush the copy to disk.
const synchronise = (file: string): void => {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
