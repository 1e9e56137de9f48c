// What a FUSE file system must answer for SQLite to work on it. Layouts and numbers are those of linux/fuse.h, 7.31.
import { type Attributes, filesInMemory } from './files.ts'

/** Broken: everybody gets every lock. Missing: nobody gets a lock. */
export type Locks = 'working' | 'broken' | 'missing'

type Request = {
  readonly node: number
  readonly uid: number
  readonly gid: number
  readonly body: Buffer
}
type Reply = Buffer | 'ENOENT' | 'EEXIST' | 'ENOTEMPTY' | 'ENOLCK' | 'none'
type Operation = (request: Request) => Reply

const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}
const u64 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index)
  return bytes
}
const joined = (...parts: Buffer[]): Buffer => Buffer.concat(parts)
const u64At = (body: Buffer, at: number): number => Number(body.readBigUInt64LE(at))
const namesAt = (body: Buffer, at: number): string[] => body.toString('utf8', at).split('\0')
const nameAt = (body: Buffer, at: number): string => namesAt(body, at)[0] ?? ''

const blockSize = 4_096
const done = Buffer.alloc(0)
const opened = joined(u64(0), u32(0, 0))

const attributes = ({ inode, mode, uid, gid, size }: Attributes): Buffer =>
  joined(u64(inode, size, Math.ceil(size / 512), 0, 0, 0), u32(0, 0, 0, mode, 1, uid, gid, 0, blockSize, 0))
/** Nothing is cached: all valid times are 0. */
const entry = (found: Attributes): Buffer => joined(u64(found.inode, 0, 0, 0), u32(0, 0), attributes(found))
const attributesReply = (found: Attributes): Buffer => joined(u64(0), u32(0, 0), attributes(found))

const folderMode = 0o40000
const fileMode = 0o100000
const forwardsLocks = 1 << 1

/** By the kernel's number of the operation. */
export const operationsFor = (locks: Locks): ReadonlyMap<number, Operation> => {
  const files = filesInMemory(folderMode | 0o755)

  const make = ({ node, uid, gid }: Request, name: string, mode: number): Attributes | 'EEXIST' =>
    files.make(node, name, { mode, uid, gid })
  const remove: Operation = ({ node, body }) => files.remove(node, nameAt(body, 0)) ?? done
  const rename =
    (namesStart: number): Operation =>
    ({ node, body }) => {
      const [from = '', to = ''] = namesAt(body, namesStart)
      return files.rename(node, from, u64At(body, 0), to) ?? done
    }
  const setLock: Operation = () => (locks === 'missing' ? 'ENOLCK' : done)

  const named = {
    lookup: ({ node, body }) => {
      const found = files.find(node, nameAt(body, 0))
      return found === undefined ? 'ENOENT' : entry(found)
    },
    forget: () => 'none',
    getAttributes: ({ node }) => attributesReply(files.attributesOf(node)),
    setAttributes: ({ node, body }) => {
      const valid = body.readUInt32LE(0)
      if (valid & 1) files.setMode(node, body.readUInt32LE(68))
      if (valid & 8) files.resize(node, u64At(body, 16))
      return attributesReply(files.attributesOf(node))
    },
    makeFolder: (request) => {
      const mode = folderMode | (request.body.readUInt32LE(0) & 0o7777)
      const made = make(request, nameAt(request.body, 8), mode)
      return made === 'EEXIST' ? made : entry(made)
    },
    open: () => opened,
    read: ({ node, body }) => files.read(node, u64At(body, 8), body.readUInt32LE(16)),
    write: ({ node, body }) => {
      const size = body.readUInt32LE(16)
      files.write(node, u64At(body, 8), body.subarray(40, 40 + size))
      return u32(size, 0)
    },
    statistics: () =>
      joined(
        u64(1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20),
        u32(blockSize, 255, blockSize, 0, 0, 0, 0, 0, 0, 0),
      ),
    initialise: ({ body }) =>
      u32(
        7,
        31,
        body.readUInt32LE(8),
        locks === 'working' ? 0 : forwardsLocks,
        0,
        65_536,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
      ),
    list: ({ node, body }) =>
      joined(
        ...files.list(node, u64At(body, 8)).map(({ name, inode, next }) => {
          const bytes = Buffer.from(name)
          return joined(u64(inode, next), u32(bytes.length, 0), bytes, Buffer.alloc(-bytes.length & 7))
        }),
      ),
    getLock: () => joined(u64(0, 0), u32(2, 0)),
    create: (request) => {
      const mode = fileMode | (request.body.readUInt32LE(4) & 0o7777)
      const made = make(request, nameAt(request.body, 16), mode)
      return made === 'EEXIST' ? made : joined(entry(made), opened)
    },
    ignore: () => done,
  } satisfies Record<string, Operation>

  return new Map<number, Operation>([
    [1, named.lookup],
    [2, named.forget],
    [3, named.getAttributes],
    [4, named.setAttributes],
    [9, named.makeFolder],
    [10, remove],
    [11, remove],
    [12, rename(8)],
    [14, named.open],
    [15, named.read],
    [16, named.write],
    [17, named.statistics],
    [26, named.initialise],
    [27, named.open],
    [28, named.list],
    [31, named.getLock],
    [32, setLock],
    [33, setLock],
    [35, named.create],
    // An interrupt, and many forgotten inodes at once.
    [36, named.forget],
    [42, named.forget],
    [45, rename(16)],
    // release, fsync, flush, releasedir, fsyncdir, access
    ...[18, 20, 25, 29, 30, 34].map((code): [number, Operation] => [code, named.ignore]),
  ])
}
