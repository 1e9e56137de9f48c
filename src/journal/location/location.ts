// Refuses a journal with two paths. Records in the machine file the location of a journal that passed the disk check,
// to skip that check next time.
import { readFileSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { Failure, type Remedy } from '../../errors.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import type { Machine } from '../machine/machine-file.ts'

/** The type that statfs reports; 0 if statfs fails. */
export const readFileSystemType = (place: string): bigint => {
  try {
    return statfsSync(place, { bigint: true }).type
  } catch {
    return 0n
  }
}

/** Differs for a different file system or file, such as a copy. Undefined if the file does not exist. */
const readLocation = (file: string): string | undefined => {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return `file system ${readFileSystemType(file).toString(16)}, device ${dev}, inode ${ino}`
  } catch {
    return undefined
  }
}

/** False if that cannot be known. */
export const isKnownLocation = (file: string, machine: Machine): boolean => {
  const location = readLocation(file)
  const query = 'SELECT 1 FROM disks WHERE location = ?'
  try {
    return machine.read((database) => database.prepare(query).get(location ?? '')) !== undefined
  } catch {
    return false
  }
}

/** The next start skips the check if the location is the same. */
export const recordLocation = async (file: string, machine: Machine): Promise<void> => {
  const location = readLocation(file)
  if (location === undefined) return
  try {
    await machine.write((database) => {
      database.exec('DELETE FROM disks')
      database.prepare('INSERT INTO disks VALUES (?)').run(location)
    })
  } catch {
    // The next start checks again.
  }
}

const readIfPossible = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Empty if /proc is not mounted. */
export const readMounts = (): string => readIfPossible('/proc/self/mountinfo') ?? ''

/**
 * Why a journal with a second path is refused. SQLite keeps its log beside the path that it opens, so an order in one
 * log could be bought again through the other path. Symbolic links do no harm, because SQLite resolves them.
 */
export const findSecondPath = (file: string): Failure | undefined => {
  const refuse = (what: string, remedy: Remedy): Failure =>
    new Failure(
      'local-state',
      `the journal cannot be used: ${file} ${what}, so SQLite keeps two logs, and an order could be bought twice`,
      { field: 'ORDERCTL_STATE_DIR', ...remedy },
    )
  const share = 'To share a journal, use PostgreSQL (docs/teams.md).'
  try {
    const stats = statSync(file)
    if (stats.isFile() && stats.nlink > 1) {
      return refuse('has more than one hard link', {
        fix: () => `find / -samefile ${quoteShellWord(file)}`,
        advice: `Keep one link and delete the others. ${share}`,
      })
    }
    if (isMountPoint(realpathSync.native(file), readMounts()))
      return refuse('is a mount point', { advice: `Mount its folder instead. ${share}` })
  } catch {
    // A new journal, or one that cannot be opened either.
  }
  return undefined
}

/** See proc_pid_mountinfo(5): the fifth field, in which a space is `\040`. */
export const isMountPoint = (place: string, mounts: string): boolean => {
  const escaped = place.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return mounts.split('\n').some((line) => line.split(' ')[4] === escaped)
}
