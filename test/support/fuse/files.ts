// Files and folders in memory, by the numbers of their inodes.

export type Attributes = {
  readonly inode: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly size: number
}

type Inode = Omit<Attributes, 'inode'> & {
  mode: number
  size: number
  bytes: Buffer
  names: Map<string, number>
}

const root = 1
const permissions = 0o7777

export const filesInMemory = (rootMode: number) => {
  const inodes = new Map<number, Inode>()
  const add = (mode: number, uid: number, gid: number): number => {
    const inode = inodes.size + root
    inodes.set(inode, { mode, uid, gid, size: 0, bytes: Buffer.alloc(0), names: new Map() })
    return inode
  }
  add(rootMode, 0, 0)

  const at = (number: number): Inode => {
    const inode = inodes.get(number)
    if (inode === undefined) throw new Error(`there is no inode ${number}`)
    return inode
  }
  const attributesOf = (inode: number): Attributes => {
    const { mode, uid, gid, size } = at(inode)
    return { inode, mode, uid, gid, size }
  }
  const resize = (number: number, size: number): void => {
    const inode = at(number)
    if (size > inode.bytes.length) {
      inode.bytes = Buffer.concat([inode.bytes], Math.max(size, 2 * inode.bytes.length))
    }
    if (size < inode.size) inode.bytes.fill(0, size, inode.size)
    inode.size = size
  }

  return {
    attributesOf,
    resize,

    setMode: (inode: number, mode: number): void => {
      at(inode).mode = (at(inode).mode & ~permissions) | (mode & permissions)
    },

    find: (folder: number, name: string): Attributes | undefined => {
      const inode = at(folder).names.get(name)
      return inode === undefined ? undefined : attributesOf(inode)
    },

    make: (
      folder: number,
      name: string,
      { mode, uid, gid }: Pick<Attributes, 'mode' | 'uid' | 'gid'>,
    ): Attributes | 'EEXIST' => {
      if (at(folder).names.has(name)) return 'EEXIST'
      const inode = add(mode, uid, gid)
      at(folder).names.set(name, inode)
      return attributesOf(inode)
    },

    remove: (folder: number, name: string): 'ENOENT' | 'ENOTEMPTY' | undefined => {
      const inode = at(folder).names.get(name)
      if (inode === undefined) return 'ENOENT'
      if (at(inode).names.size > 0) return 'ENOTEMPTY'
      at(folder).names.delete(name)
      return undefined
    },

    rename: (folder: number, from: string, newFolder: number, to: string): 'ENOENT' | undefined => {
      const inode = at(folder).names.get(from)
      if (inode === undefined) return 'ENOENT'
      at(folder).names.delete(from)
      at(newFolder).names.set(to, inode)
      return undefined
    },

    list: (folder: number, from: number) =>
      [...at(folder).names].map(([name, inode], index) => ({ name, inode, next: index + 1 })).slice(from),

    read: (inode: number, from: number, length: number): Buffer => {
      const { bytes, size } = at(inode)
      return bytes.subarray(Math.min(from, size), Math.min(size, from + length))
    },

    write: (inode: number, from: number, data: Buffer): void => {
      if (from + data.length > at(inode).size) resize(inode, from + data.length)
      data.copy(at(inode).bytes, from)
    },
  }
}
