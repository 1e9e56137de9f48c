// Identifies network file systems. SQLite's write-ahead log needs memory that all its processes share, so a network
// file system is refused even if its locks work: https://sqlite.org/wal.html.

/** The types that statfs reports on Linux. src/stat.c of GNU coreutils marks those of its group as 'remote'. */
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

type Disk = {
  /** As statfs reports it. A 32-bit system reports a signed number. */
  readonly type: bigint
  /** As stat reports it. */
  readonly device: bigint
  /** Reads /proc/self/mountinfo. */
  readonly readMounts: () => string
}

/** The name of the network file system on Linux; undefined for a local or unidentified disk. */
export const identifyNetworkDisk = ({ type, device, readMounts }: Disk): string | undefined => {
  const unsigned = type & 0xffffffffn
  return unsigned === fuseType ? findNetworkFuse(readMounts(), device) : networkTypes.get(unsigned)
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
