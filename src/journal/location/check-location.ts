// Refuses a journal on a network disk or on a disk without working locks, because two commands could then buy an
// order twice.
import { existsSync, lstatSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../errors.ts'
import { toFailure } from '../../sqlite/open.ts'
import { schema } from '../tables/list.ts'
import { readFileSystemType } from './location.ts'
import { readMounts } from './second-path.ts'

export type LocationOptions = {
  /** Node's name for it: linux, darwin, win32. */
  readonly platform: string
  /** Whether a different process sees that the SQLite file is locked. */
  readonly isLockSeen: (file: string) => Promise<boolean>
  /** Reads the type of a file system, as statfs reports it. */
  readonly readType?: (place: string) => bigint
}

/** Returns false if the path is not a file. openJournal then refuses it with a better message. */
export const checkLocation = async (file: string, options: LocationOptions): Promise<boolean> => {
  const folder = findFolder(file)
  if (folder === undefined) return false
  const advice = existsSync(file)
    ? `Move the folder ${path.dirname(file)} to a local disk, and set ORDERCTL_STATE_DIR to its new path.`
    : localAdvice
  try {
    refuseNetworkDisk(folder, options, advice)
    if (!(await canLockFiles(folder, options)))
      throw createRefusal(`file locks do not work in ${folder}`, advice)
    return true
  } catch (error) {
    // Such as a full disk.
    throw toFailure(error, file, schema)
  }
}

const localAdvice = 'Set ORDERCTL_STATE_DIR to a folder on a local disk.'

const createRefusal = (why: string, advice: string): Failure =>
  new Failure('local-state', `the journal cannot be used: ${why}`, { field: 'ORDERCTL_STATE_DIR', advice })

/** Does not test locks. */
export const refuseNetworkDisk = (
  folder: string,
  options: Pick<LocationOptions, 'platform' | 'readType'>,
  advice = localAdvice,
): void => {
  const disk = findNetworkDisk(folder, options)
  if (disk !== undefined) throw createRefusal(`${folder} is on a network file system (${disk})`, advice)
}

/** The folder in which SQLite keeps the journal and its log; undefined if the path is not a file. */
const findFolder = (file: string): string | undefined => {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
      return realpathSync.native(path.dirname(file))
    return statSync(file).isFile() ? path.dirname(realpathSync.native(file)) : undefined
  } catch {
    return undefined
  }
}

const findNetworkDisk = (
  folder: string,
  { platform, readType = readFileSystemType }: Pick<LocationOptions, 'platform' | 'readType'>,
) => {
  // realpath has already resolved a mapped drive to its network path.
  if (platform === 'win32') return isNetworkPath(folder) ? folder : undefined
  // On macOS, the numbers of file system types are not fixed.
  if (platform !== 'linux') return undefined
  return identifyNetworkDisk(readType(folder), statSync(folder, { bigint: true }).dev)
}

/** The types that statfs reports on Linux. src/stat.c of GNU coreutils marks the types in its group as 'remote'. */
const networkTypes = new Map<bigint, string>([
  // linux/magic.h
  [0x6969n, 'NFS'],
  [0x517bn, 'SMB'],
  [0xff534d42n, 'CIFS'],
  [0xfe534d42n, 'SMB'],
  [0x564cn, 'NCP'],
  [0x73757245n, 'Coda'],
  [0x5346414fn, 'AFS'],
  [0x6b414653n, 'AFS'],
  [0x01021997n, '9p'],
  [0x00c36400n, 'Ceph'],
  [0x7461636fn, 'OCFS2'],
  // coreutils
  [0x01161970n, 'GFS2'],
  [0x0bd00bd0n, 'Lustre'],
  [0x47504653n, 'GPFS'],
  [0xaad7aaean, 'PanFS'],
  [0x19830326n, 'BeeGFS'],
  [0x61636673n, 'ACFS'],
  [0xbeefdeadn, 'StorNext'],
  [0x013111a8n, 'IBRIX'],
  [0x786f4256n, 'VirtualBox shared folder'],
  [0xbacbacbcn, 'VMware shared folder'],
  [0x7c7c6673n, 'Parallels shared folder'],
  // fs/orangefs/orangefs-kernel.h
  [0x20030528n, 'OrangeFS'],
])

const fuseType = 0x65735546n

/** FUSE file systems that reach other machines, by their mount types without 'fuse.'. */
const networkFuses = new Set(
  (
    'sshfs glusterfs ceph-fuse davfs davfs2 rclone s3fs gcsfuse blobfuse blobfuse2 goofys mount-s3 juicefs mfs ' +
    'curlftpfs smbnetfs gvfsd-fuse'
  ).split(' '),
)

/**
 * The name of the network file system on Linux; undefined for a local or unidentified disk. statfs reports the type, as a
 * signed number on a 32-bit system, and stat the device.
 */
export const identifyNetworkDisk = (type: bigint, device: bigint, mounts: () => string = readMounts) => {
  const unsigned = type & 0xffffffffn
  return unsigned === fuseType ? findNetworkFuse(mounts(), device) : networkTypes.get(unsigned)
}

/** See proc_pid_mountinfo(5): `36 35 0:31 / /mnt rw,noatime shared:1 - fuse.sshfs me@host:/home rw`. */
const mountForm = /^\d+ \d+ (\d+):(\d+) .* - (\S+) (\S+) \S+$/gm

const findNetworkFuse = (mounts: string, device: bigint): string | undefined => {
  for (const [, major = '', minor = '', type = '', source = ''] of mounts.matchAll(mountForm)) {
    if (makeDevice(BigInt(major), BigInt(minor)) !== device) continue
    const name = type.replace('fuse.', '')
    // `me@host:/home`, `remote:folder`, `https://host/`; but `/a:/b` is local.
    if (networkFuses.has(name) || /^[^/].*:/.test(source)) return name === 'fuse' ? source : name
  }
  return undefined
}

/** See gnu_dev_makedev(3). */
const makeDevice = (major: bigint, minor: bigint): bigint =>
  (minor & 0xffn) | ((major & 0xfffn) << 8n) | ((minor & ~0xffn) << 12n) | ((major & ~0xfffn) << 32n)

/** `\\server\share`, also behind `\\?\UNC\`; but `\\?\C:\` and `\\.\` are local. */
export const isNetworkPath = (path: string): boolean => /^\\\\(\?\\UNC\\|(?![?.]\\))/i.test(path)

/** Only a second process can test that, because POSIX locks belong to a process. */
const canLockFiles = async (folder: string, { isLockSeen }: LocationOptions): Promise<boolean> => {
  const scratch = mkdtempSync(path.join(folder, '.lock-probe-'))
  try {
    // A new file, because the test could damage a journal.
    const file = path.join(scratch, 'probe.db')
    using database = new DatabaseSync(file)
    return canLock(database, prepareProbe) && (await isLockSeen(file).catch(refuseToCheck(folder)))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const refuseToCheck =
  (folder: string) =>
  (error: Error): never => {
    throw new Failure('local-state', `cannot check the file locks in ${folder}: ${error.message}`, {
      field: 'ORDERCTL_STATE_DIR',
      advice:
        'Run the command again. If that fails too, set ORDERCTL_STATE_DIR to a folder on a different disk.',
      cause: error,
    })
  }

/** The output of the other process. */
export const probeResults = { locked: 'locked\n', free: 'free\n' } as const

/** Runs in the other process. */
export const isLocked = (file: string): boolean => {
  // SQLite would create a missing file.
  if (!existsSync(file)) throw new Error(`${file} does not exist`)
  using database = new DatabaseSync(file)
  return !canLock(database)
}

const prepareProbe = 'PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; CREATE TABLE probe (held)'

// SQLITE_BUSY, SQLITE_PROTOCOL and SQLITE_IOERR_UNLOCK, _RDLOCK, _CHECKRESERVEDLOCK, _LOCK, _SHMLOCK, _SHMMAP.
const lockErrors = new Set([5, 15, 2058, 2314, 3594, 3850, 5130, 5386])

const canLock = (database: DatabaseSync, preparation = ''): boolean => {
  try {
    database.exec(preparation)
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (lockErrors.has((error as { errcode?: number }).errcode ?? 0)) return false
    throw error
  }
}
