// Refuses a journal with two paths, and records the location of one that passed the check of its disk, to skip that check
// next time.
import { readFileSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { Failure, type Remedy } from '../../errors.ts'
import { quoteShellWord } from '../../text/shell-word.ts'

/** A file beside the journal, because the check must come before SQLite opens the journal. */
export const getRecordFile = (file: string): string => `${file}.location`

/** The type that statfs reports; 0 if statfs fails. */
export const readFileSystemType = (place: string): bigint => {
  try {
    return statfsSync(place, { bigint: true }).type
  } catch {
    return 0n
  }
}

/** Differs for another file system and for another file, such as a copy. Undefined if the file does not exist. */
export const readLocation = (file: string): string | undefined => {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return `file system ${readFileSystemType(file).toString(16)}, device ${dev}, inode ${ino}: locks work\n`
  } catch {
    return undefined
  }
}

export const isKnownLocation = (file: string): boolean => {
  const location = readLocation(file)
  return location !== undefined && location === readIfPossible(getRecordFile(file))
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
 * Why a journal with a second path is refused. SQLite keeps its log beside the path that it opens, so an order that is in
 * one log could be bought again over the other path. Symbolic links do no harm, because SQLite resolves them.
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
