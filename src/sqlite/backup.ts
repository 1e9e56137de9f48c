// Backups beside a SQLite file: a whole copy for its owner alone, made before the file changes its version.
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepFolder } from '../files.ts'

/** `journal.db.v1.backup`, or `journal.db.v1.backup-2` if that exists: no backup is overwritten. */
const freeName = (file: string, version: number): string => {
  const first = `${file}.v${version}.backup`
  let name = first
  for (let count = 2; existsSync(name); count += 1) name = `${first}-${count}`
  return name
}

const backupForm = /^\.v(\d+)\.backup(?:-(\d+))?$/

/** The backups of a file, the newest last. */
export const backupsOf = (file: string): string[] => {
  const folder = path.dirname(file)
  const name = path.basename(file)
  return namesIn(folder)
    .filter((each) => each.startsWith(name))
    .map((each) => ({ each, found: backupForm.exec(each.slice(name.length)) }))
    .filter(({ found }) => found !== null)
    .map(({ each, found }) => ({ each, version: Number(found?.[1]), count: Number(found?.[2] ?? 1) }))
    .sort((one, other) => one.version - other.version || one.count - other.count)
    .map(({ each }) => path.join(folder, each))
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Copies the file as it is on the disk. The caller holds the write lock, so nobody else makes a backup meanwhile. */
export const backUp = (file: string, version: number): string => {
  const unfinished = `${file}.backup-unfinished`
  rmSync(unfinished, { force: true })
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    // SQLite would make the copy readable for others. It accepts an empty file.
    closeSync(openSync(unfinished, 'wx', 0o600))
    database.prepare('VACUUM INTO ?').run(unfinished)
    synchronise(unfinished)
    const backup = freeName(file, version)
    renameSync(unfinished, backup)
    keepFolder(path.dirname(backup))
    return backup
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  } finally {
    database.close()
  }
}

// VACUUM INTO leaves the copy in the system's cache.
const synchronise = (file: string): void => {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
