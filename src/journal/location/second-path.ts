// Refuses a file with two paths.
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { Failure, type Remedy } from '../../errors.ts'
import { quoteShellWord } from '../../text/suggest.ts'

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
 * Why a file with a second path is refused. SQLite keeps its log beside the path that it opens, so an order in one
 * log could be bought again through the other path. Symbolic links do no harm, because SQLite resolves them.
 */
export const findSecondPath = (
  file: string,
  name: 'journal' | 'machine file' = 'journal',
): Failure | undefined => {
  const refuse = (what: string, remedy: Remedy): Failure =>
    new Failure(
      'local-state',
      `the ${name} cannot be used: ${file} ${what}, so SQLite keeps two logs, and an order could be bought twice`,
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
    if (name === 'journal' && isMountPoint(realpathSync.native(file), readMounts()))
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
