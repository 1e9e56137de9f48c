// Refuses a journal that is not on a local disk with working locks: there, two commands could buy one order twice.
import { lstatSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Failure } from '../errors.ts'
import { asFailure } from '../sqlite/failure.ts'
import { fileSystemType, locationOf, recordOf } from './location.ts'
import { doLocksWork, type IsLockSeen } from './lock-probe.ts'
import { isNetworkPath, networkDiskOf } from './network-disk.ts'
import { schema } from './schema.ts'

export type Surroundings = {
  /** As Node names it: linux, darwin, win32. */
  readonly platform: string
  readonly isLockSeen: IsLockSeen
  /** What statfs gives as the type of a file system. */
  readonly typeOf?: (place: string) => bigint
}

/** False if there is nothing to check: openJournal refuses what is there, and says why. */
export const checkLocation = async (
  file: string,
  { platform, isLockSeen, typeOf = fileSystemType }: Surroundings,
): Promise<boolean> => {
  const folder = folderOf(file)
  if (folder === undefined) return false
  const disk = await attempt(file, () => networkDisk(folder, platform, typeOf))
  if (disk !== undefined) throw refusal(file, `${folder} is on a network file system (${disk})`)
  const isSeen: IsLockSeen = (probe) =>
    isLockSeen(probe).catch((error) => {
      throw notChecked(folder, error)
    })
  const isWorking = await attempt(file, () => doLocksWork(folder, isSeen))
  if (!isWorking) throw refusal(file, `file locks do not work in ${folder}`)
  return true
}

/** Spares the next start the check. */
export const recordLocation = (file: string): void => {
  const location = locationOf(file)
  if (location === undefined) return
  try {
    // A link that lies there is not followed.
    rmSync(recordOf(file), { force: true })
    writeFileSync(recordOf(file), location, { mode: 0o600, flag: 'wx' })
  } catch {
    // The next start checks again.
  }
}

/** The folder in which SQLite keeps the journal and its log; undefined if that is no file. */
const folderOf = (file: string): string | undefined => {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
      return realpathSync.native(path.dirname(file))
    return statSync(file).isFile() ? path.dirname(realpathSync.native(file)) : undefined
  } catch {
    return undefined
  }
}

const networkDisk = (
  folder: string,
  platform: string,
  typeOf: (place: string) => bigint,
): string | undefined => {
  // realpath turns a mapped drive into its network path.
  if (platform === 'win32') return isNetworkPath(folder) ? folder : undefined
  // On macOS, the numbers of the types are not fixed.
  if (platform !== 'linux') return undefined
  return networkDiskOf({
    type: typeOf(folder),
    device: statSync(folder, { bigint: true }).dev,
    readMounts,
  })
}

/** Empty if /proc is not mounted. */
const readMounts = (): string => {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}

/** An error such as a full disk is reported as one of the journal. */
const attempt = async <Result>(file: string, work: () => Result | Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    throw asFailure(error, file, schema)
  }
}

const refusal = (file: string, why: string): Failure =>
  new Failure('local-state', `the journal cannot be used: ${why}`, {
    field: 'ORDERCTL_STATE_DIR',
    fix:
      statSync(file, { throwIfNoEntry: false }) === undefined
        ? 'Set ORDERCTL_STATE_DIR to a folder on a local disk.'
        : `Move the folder ${path.dirname(file)} to a local disk, and set ORDERCTL_STATE_DIR to its new path.`,
  })

const notChecked = (folder: string, error: unknown): Failure =>
  new Failure('local-state', `cannot check the file locks in ${folder}: ${(error as Error).message}`, {
    field: 'ORDERCTL_STATE_DIR',
    fix: 'Run the command again. If that fails too, set ORDERCTL_STATE_DIR to a folder on another disk.',
    cause: error,
  })
