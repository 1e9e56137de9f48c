// Finds files and folders that a different user of this machine could have changed or replaced. Root is trusted, and a group
// that gives access to this user only.

import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { builtin } from './builtin.ts'
import { Failure, type Remedy } from './errors.ts'
import { quoteShellWord } from './text/suggest.ts'

/** `readLines` reads a file of accounts. Only the groups in them can be judged: nothing lists other groups' members. */
export const isPrivateGroup = (gid: number, user: number, readLines = readAccounts): boolean => {
  // Its members are trusted like root. OpenShift's containers run in it.
  if (gid === 0) return true
  const group = String(gid)
  try {
    const people = readLines('/etc/passwd').map((line) => line.split(':'))
    const names = readLines('/etc/group')
      .map((line) => line.split(':'))
      .filter(([, , id]) => id === group)
    const members = names.flatMap(([, , , listed = '']) => listed.split(',').filter(Boolean))
    const isTrusted = (id?: string): boolean => id === String(user) || id === '0'
    const hasOthers =
      people.some(([, , id, primary]) => primary === group && !isTrusted(id)) ||
      members.some((member) => !people.some(([name, , id]) => name === member && isTrusted(id)))
    // OpenShift lists neither its volumes' user nor their group and gives them the same number.
    const isOwn =
      people.some(([, , id, primary]) => primary === group && id === String(user)) ||
      (gid === user && names.length === 0)
    return isOwn && !hasOthers
  } catch {
    return false
  }
}

const readAccounts = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n')

export type Exposure = Remedy & { readonly reason: string }

type Options = {
  /** The files and folders in it that must be safe, too. They may be missing. */
  readonly names: readonly string[]
  /** Selects a different folder. */
  readonly variable: string
}

/**
 * Undefined if no one else can change the folder, or on Windows, which has no such modes. The folder may be missing.
 */
export const findExposure = (folder: string, { names, variable }: Options): Exposure | undefined => {
  const user = builtin.effectiveUser()
  if (user === undefined) return undefined

  const isTrusted = (uid: number): boolean => uid === user || uid === 0

  /** `own` is the command that changes the owner. Undefined for a folder that may contain other users' files. */
  const describeOwner = (place: string, uid: number, own?: string): Exposure => {
    const advice =
      user === 0
        ? `Run orderctl as that user, without sudo.${own === undefined ? '' : ` If root should own it, run: ${own}`}`
        : own === undefined
          ? `Set ${variable} to a different folder.`
          : `If you trust its contents, run: sudo ${own}. If not, set ${variable} to a different folder.`
    return { reason: `${place} belongs to another user (uid ${uid})`, advice }
  }

  const judge = (place: string, stats: Stats, isLinked = false): Exposure | undefined => {
    const [{ uid, mode }, isFolder, quoted] = [stats, stats.isDirectory(), quoteShellWord(place)]
    // Opening it is refused. A command that changes a device would harm the machine.
    if (!isFolder && !stats.isFile()) return undefined
    const isSticky = (mode & 0o1000) !== 0
    // A database's log gets the database's owner and mode.
    const files = place.endsWith('.db') ? `${quoted}*` : quoted
    if (!isTrusted(uid)) {
      const own = isFolder ? `chown -R ${user} ${quoted}` : `chown ${user} ${files}`
      return describeOwner(place, uid, isFolder && (isSticky || isLinked) ? undefined : own)
    }
    if ((mode & 0o022) === 0) return undefined
    const who = (mode & 0o002) === 0 ? 'its group' : 'every user'
    const reason = `${who} can change ${place} (mode ${formatMode(mode)})`
    const fix = suggestMode(isFolder ? '700' : '600', place, files)
    if (fix !== undefined && !isSticky) return { reason, fix: () => fix }
    if (!isFolder) return { reason, advice: `Set ${variable} to a different folder.` }
    // A folder for several users, such as /tmp, or a volume of a container.
    const advice =
      findWriters(stats) === undefined
        ? `Set ${variable} to a new folder in it. orderctl creates that folder for you only.`
        : `Set ${variable} to a folder elsewhere. A new folder in it could be replaced.`
    return { reason, advice }
  }

  /**
   * Who can replace a folder's contents: the classes of chmod. With the sticky bit, as /tmp has, only the owners can.
   */
  const findWriters = ({ mode, gid }: Stats): 'g' | 'o' | 'go' | undefined => {
    if ((mode & 0o1000) !== 0) return undefined
    const group = (mode & 0o020) !== 0 && !isPrivateGroup(gid, user)
    if ((mode & 0o002) !== 0) return group ? 'go' : 'o'
    return group ? 'g' : undefined
  }

  const judgeParents = (place: string): Exposure | undefined => {
    const parent = path.dirname(place)
    const stats = statSync(parent)
    const { mode, uid, gid } = stats
    if (!isTrusted(uid) && !isUnmapped(uid)) return describeOwner(parent, uid)
    const writers = findWriters(stats)
    if (writers !== undefined) {
      const who = writers === 'g' ? `every member of the group ${gid}` : 'every user'
      const reason = `${who} can replace ${place}, because of the mode ${formatMode(mode)} of ${parent}`
      const fix = suggestMode(`${writers}-w`, parent)
      return fix === undefined
        ? { reason, advice: `Set ${variable} to a folder elsewhere.` }
        : { reason, fix: () => fix }
    }
    return parent === place ? undefined : judgeParents(parent)
  }

  /** The owner of a link in the path decides where the folder is, and so does a user who can replace the link. */
  const judgeLinks = (place: string): Exposure | undefined => {
    let parent = path.parse(place).root
    const names = path.relative(parent, place).split(path.sep)
    for (const [index, name] of names.entries()) {
      const next = path.join(parent, name)
      const stats = lstatSync(next, { throwIfNoEntry: false })
      if (stats?.isSymbolicLink()) {
        if (!isTrusted(stats.uid) && !isUnmapped(stats.uid)) return describeOwner(next, stats.uid)
        const rest = path.resolve(parent, readlinkSync(next), ...names.slice(index + 1))
        return judgeParents(next) ?? judgeLinks(rest)
      }
      parent = next
    }
    return undefined
  }

  const judgeFolder = (place: string, isLinked = false): Exposure | undefined => {
    const real = findReal(place)
    // If it is missing, orderctl creates it in this folder.
    if (real === undefined) return judgeParents(path.join(realpathSync.native(findExisting(place)), 'new'))
    return judge(real, statSync(real), isLinked) ?? judgeParents(real)
  }

  const judgeFile = (file: string): Exposure | undefined => {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    if (!stats.isSymbolicLink()) return judge(file, stats)
    const target = findReal(file)
    if (target === undefined) return undefined
    return (
      judge(target, statSync(target), true) ?? judgeFolder(path.dirname(target), true) ?? judgeLinks(file)
    )
  }

  try {
    return (
      judgeFolder(folder) ??
      judgeLinks(folder) ??
      names
        .values()
        .map((name) => judgeFile(path.join(folder, name)))
        .find((found) => found !== undefined)
    )
  } catch {
    // Its use also fails and reports why.
    return undefined
  }
}

/**
 * In a user namespace without a number for root, the overflow uid owns / and /home. It may stand for any user, but
 * without it no folder there could be used. Elsewhere, the overflow uid is an ordinary user, mostly nobody.
 */
const isUnmapped = (uid: number): boolean => {
  try {
    if (uid !== Number(readFileSync('/proc/sys/kernel/overflowuid', 'utf8'))) return false
    return !readFileSync('/proc/self/uid_map', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ +/).map(Number))
      .some(([first = 0, , count = 0]) => uid >= first && uid < first + count)
  } catch {
    // Only Linux has user namespaces.
    return false
  }
}

/** Undefined if it does not exist. */
const findReal = (place: string): string | undefined => {
  try {
    return realpathSync.native(place)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The place itself, or the nearest folder above it. */
export const findExisting = (place: string): string =>
  existsSync(place) || path.dirname(place) === place ? place : findExisting(path.dirname(place))

export const formatMode = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

/** Undefined for a device, and for a file or folder of a different user. */
export const suggestMode = (mode: string, place: string, words = quoteShellWord(place)) => {
  const stats = statSync(place, { throwIfNoEntry: false })
  const isOwn = stats?.uid === builtin.effectiveUser() && (stats?.isFile() || stats?.isDirectory())
  return isOwn ? `chmod ${mode} ${words}` : undefined
}

/** `what` is the journal or the profiles. */
export const refuseExposure = (what: string, exposure: Exposure | undefined): void => {
  if (exposure === undefined) return
  const { reason, ...remedy } = exposure
  throw new Failure('local-state', `${what} cannot be used: ${reason}`, remedy)
}
