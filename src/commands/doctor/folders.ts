// The checks of the folders that orderctl writes to: whether they can be used, and by whom.
import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { getErrorReason } from '../../files.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { formatBytes } from '../../ui/text/bytes.ts'
import { stateFolderPath } from '../shared/journal/state-folder.ts'
import { attempt, ok, problem, warning } from './check.ts'

export const checkFolders = (context: Context): readonly Check[] => [
  ...attempt('Profiles', () =>
    needsProfiles(context) ? [checkFolder(context, 'Profiles', findProfilesFolder(context))] : [noProfiles],
  ),
  ...attempt('Journal', () => [checkFolder(context, 'Journal', stateFolderPath(context))]),
  ...checkSpace(context),
]

const noProfiles = ok('Profiles', 'no home folder: only the environment is used')

/** The environment replaces the profiles, also on a machine without a home folder. */
export const needsProfiles = (context: Context): boolean => {
  if (context.environment.ORDERCTL_BASE_URL === undefined) return true
  try {
    return findProfilesFolder(context) !== ''
  } catch {
    return false
  }
}

const checkFolder = ({ platform }: Context, name: string, folder: string): Check => {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return checkMissing(name, folder)
  const { mode } = statSync(folder)
  const quoted = quoteShellWord(folder)
  if (!statSync(folder).isDirectory())
    return problem(name, `${folder} is not a folder`, `mv ${quoted} ${quoted}.old`)
  const shown = platform === 'win32' ? folder : `${folder} (mode ${formatMode(mode)})`
  const denied = findDenial(folder)
  if (denied !== undefined) return problem(name, `${shown}: ${denied}`, `chmod u+rwx ${quoted}`)
  // In a folder with the sticky bit, such as /tmp, other users cannot replace a file.
  const isOpen = platform !== 'win32' && (mode & 0o022) !== 0 && (mode & 0o1000) === 0
  return isOpen
    ? problem(name, `${shown}: other users can change its files`, `chmod 700 ${quoted}`)
    : ok(name, shown)
}

export const formatMode = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

const findDenial = (folder: string): string | undefined => {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return `orderctl cannot write to it: ${getErrorReason(error)}`
  }
}

/** The first command that writes creates it. */
const checkMissing = (name: string, folder: string): Check => {
  const parent = findParent(folder)
  const denied = findDenial(parent)
  return denied === undefined
    ? ok(name, `${folder} does not exist yet`)
    : problem(
        name,
        `${folder} does not exist, and cannot be created in ${parent}: ${denied}`,
        `chmod u+rwx ${quoteShellWord(parent)}`,
      )
}

/** The nearest folder above that exists. */
const findParent = (folder: string): string => {
  const parent = path.dirname(folder)
  return existsSync(parent) || parent === folder ? parent : findParent(parent)
}

const tightBytes = 100 * 1024 ** 2

/** Without space, no order can be recorded, so none is sent. */
const checkSpace = (context: Context): readonly Check[] => {
  try {
    const folder = stateFolderPath(context)
    const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : findParent(folder))
    const free = bavail * bsize
    const detail = `${formatBytes(free)} free for the journal`
    if (free >= tightBytes) return [ok('Disk', `more than ${formatBytes(tightBytes)} free for the journal`)]
    const fix = 'Free some space. Without space, orderctl cannot record an order, and sends none.'
    return [free === 0 ? problem('Disk', detail, fix) : warning('Disk', detail, fix)]
  } catch {
    // Another check says what is wrong with the folder.
    return []
  }
}
