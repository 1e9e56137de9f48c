// The check of the journal's location: file systems, the lock probe, and the record of a passed check.

import { cpSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { openJournal } from '../../src/journal/file-journal.ts'
import {
  checkLocation,
  identifyNetworkDisk,
  isNetworkPath,
  type LocationOptions,
} from '../../src/journal/location/check-location.ts'
import { isKnownLocation, recordLocation } from '../../src/journal/location/location.ts'
import { findSecondPath, isMountPoint } from '../../src/journal/location/second-path.ts'
import { openMachine } from '../../src/journal/machine/machine-file.ts'
import { cannotMount, smallDisk } from '../support/disks.ts'
import { openScratch } from '../support/scratch.ts'
import { fixWith } from '../support/suggest.ts'

const scratchFile = (): string => {
  const scratch = openScratch()
  onTestFinished(() => scratch[Symbol.dispose]())
  return path.join(scratch.folder, 'journal.db')
}

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.then(() => new Error('it did not fail')).catch((error: unknown) => error)
  if (error instanceof Failure) return error
  throw error
}

const surroundings: LocationOptions = { platform: 'linux', isLockSeen: async () => true }

describe('the type of a file system', () => {
  // CIFS may be negative: statfs has 32 bits.
  test.each<[name: string | undefined, types: readonly bigint[]]>([
    ['NFS', [0x6969n]],
    ['CIFS', [0xff534d42n, -0xacb2ben]],
    ['SMB', [0xfe534d42n]],
    ['9p', [0x01021997n]],
    ['AFS', [0x5346414fn]],
    ['Ceph', [0x00c36400n]],
    ['Lustre', [0x0bd00bd0n]],
    ['GPFS', [0x47504653n]],
    // ext4, xfs, btrfs, tmpfs, overlayfs, zfs
    [undefined, [0xef53n, 0x58465342n, 0x9123683en, 0x01021994n, 0x794c7630n, 0x2fc12fc1n]],
  ])('network file system: %s', (name, types) => {
    for (const type of types) expect(identifyNetworkDisk(type, 1n, () => '')).toBe(name)
  })

  const mounts = [
    '21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard',
    '40 21 0:45 / /mnt/ssh rw,nosuid shared:9 master:2 - fuse.sshfs me@host:/home/me rw,user_id=0',
    '41 21 0:46 / /mnt/with\\040space rw - fuse https://dav.example/files rw,user_id=0',
    '42 21 0:47 / /mnt/crypt rw - fuse.gocryptfs /home/me/.crypt rw,user_id=0',
    '43 21 0:48 / /mnt/merged rw - fuse.mergerfs /disk1:/disk2 rw,user_id=0',
    '44 21 0:49 / /mnt/share rw - virtiofs share rw',
    '45 21 1:300 / /mnt/bucket rw - fuse.gcsfuse bucket rw',
  ].join('\n')

  test.each([
    ['sshfs', 45n],
    ['https://dav.example/files', 46n],
    [undefined, 47n],
    [undefined, 48n],
    [undefined, 49n],
    [undefined, 50n],
    // Minor 300: its upper bits are stored above the major number.
    ['gcsfuse', (300n & 0xffn) | (1n << 8n) | ((300n & ~0xffn) << 12n)],
  ])('of a FUSE file system, the mount says: %s', (name, device) => {
    expect(identifyNetworkDisk(0x65735546n, device, () => mounts)).toBe(name)
  })

  test('on Windows, UNC paths are on the network', () => {
    const network = [
      '\\\\server\\share\\orderctl',
      '\\\\?\\UNC\\server\\share',
      '\\\\wsl.localhost\\Debian\\home',
    ]
    const local = ['\\\\?\\C:\\Users\\me', '\\\\.\\C:\\Users\\me', 'C:\\Users\\me']
    expect([...network, ...local].filter(isNetworkPath)).toEqual(network)
  })
})

describe('the check', () => {
  test.each<[string, Partial<LocationOptions>, message: string, isNew?: boolean]>([
    [
      'a network file system for a new journal',
      { readType: () => 0x6969n, isLockSeen: () => expect.fail('the type decides') },
      'the journal cannot be used: FOLDER is on a network file system (NFS) Set ORDERCTL_STATE_DIR to a folder on a local disk.',
      true,
    ],
    [
      'a network file system for an existing journal',
      { readType: () => 0x6969n, isLockSeen: () => expect.fail('the type decides') },
      'the journal cannot be used: FOLDER is on a network file system (NFS) Move the folder FOLDER to a local disk, and set ORDERCTL_STATE_DIR to its new path.',
    ],
    [
      'a folder if a second process does not see its locks',
      { isLockSeen: async () => false },
      'the journal cannot be used: file locks do not work in FOLDER Set ORDERCTL_STATE_DIR to a folder on a local disk.',
      true,
    ],
    [
      'a folder that cannot be checked',
      { isLockSeen: () => Promise.reject(new Error('spawn EAGAIN')) },
      'cannot check the file locks in FOLDER: spawn EAGAIN Run the command again. If that fails too, set ORDERCTL_STATE_DIR to a folder on a different disk.',
      true,
    ],
  ])('refuses %s', async (_what, options, said, isNew = false) => {
    const file = scratchFile()
    const folder = path.dirname(file)
    if (!isNew) await (await openJournal(file)).close()
    const before = readdirSync(folder)
    const { kind, message, details } = await failureOf(checkLocation(file, { ...surroundings, ...options }))
    const text = [message, details.field === 'ORDERCTL_STATE_DIR' && details.advice].filter(Boolean).join(' ')
    expect([kind, text.replaceAll(folder, 'FOLDER')]).toEqual(['local-state', said])
    expect(readdirSync(folder)).toEqual(before)
  })

  test('checks the target folder of a link', async () => {
    const file = scratchFile()
    const real = path.join(path.dirname(file), 'elsewhere')
    mkdirSync(real)
    await (await openJournal(path.join(real, 'real.db'))).close()
    symlinkSync(path.join(real, 'real.db'), file)
    const judged: string[] = []
    const readType = (place: string): bigint => {
      judged.push(place)
      return 0xef53n
    }
    await checkLocation(file, { ...surroundings, readType })
    expect(judged).toEqual([real])
  })

  test('skips a path that is not a file', async () => {
    const file = scratchFile()
    mkdirSync(file)
    const isLockSeen = () => expect.fail('there is nothing to check')
    expect(await checkLocation(file, { ...surroundings, isLockSeen })).toBe(false)
  })
})

describe('the record', () => {
  const machineOf = (file: string) => {
    const machine = openMachine(path.dirname(file))
    onTestFinished(machine[Symbol.dispose])
    return machine
  }
  const isKnown = (file: string): boolean => isKnownLocation(file, machineOf(file))
  const recorded = async (): Promise<string> => {
    const file = scratchFile()
    await (await openJournal(file)).close()
    expect(isKnown(file)).toBe(false)
    await recordLocation(file, machineOf(file))
    return file
  }

  test('recognises the journal, but not a missing one', async () => {
    const file = await recorded()
    expect(isKnown(file)).toBe(true)
    await (await openJournal(file)).close()
    expect(isKnown(file)).toBe(true)
    rmSync(file)
    expect(isKnown(file)).toBe(false)
    await recordLocation(file, machineOf(file))
    expect(isKnown(file)).toBe(false)
  })

  /** Copies the record, too, as `cp` would. */
  const copied = (file: string, name: string): string => {
    const folder = path.join(path.dirname(file), name)
    mkdirSync(folder, { recursive: true })
    for (const each of ['journal.db', 'machine.db', 'machine.db-wal'])
      cpSync(path.join(path.dirname(file), each), path.join(folder, each))
    return path.join(folder, 'journal.db')
  }

  test('does not recognise a copy', async () => {
    const file = await recorded()
    expect(isKnown(copied(file, 'copy'))).toBe(false)
    expect(isKnownLocation(file, machineOf(path.join(path.dirname(file), 'copy', 'journal.db')))).toBe(true)
  })

  test('does not recognise a journal on a different disk', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    const file = await recorded()
    const disk = path.join(path.dirname(file), 'disk')
    mkdirSync(disk)
    using _disk = smallDisk(disk, '1m')
    const machine = openMachine(disk)
    expect(isKnownLocation(copied(file, 'disk'), machine)).toBe(false)
    machine[Symbol.dispose]()
  })
})

describe('a second path', () => {
  // test/crash/journal-location.slow.test.ts has real mounts.
  test('is a hard link, but no symbolic link', async () => {
    const file = scratchFile()
    expect(findSecondPath(file)).toBeUndefined()
    await (await openJournal(file)).close()
    symlinkSync(file, `${file}.symbolic`)
    expect([findSecondPath(file), findSecondPath(`${file}.symbolic`)]).toEqual([undefined, undefined])
    linkSync(file, `${file}.hard`)
    expect(findSecondPath(`${file}.symbolic`)).toMatchObject({
      message: `the journal cannot be used: ${file}.symbolic has more than one hard link, so SQLite keeps two logs, and an order could be bought twice`,
      details: { fix: fixWith(`find / -samefile ${file}.symbolic`) },
    })
    rmSync(`${file}.hard`)
    expect(findSecondPath(file)).toBeUndefined()
  })

  const mounts = [
    '36 35 0:31 / /mnt rw,noatime shared:1 - ext4 /dev/vda rw',
    '37 36 0:31 /home/me/journal.db /mnt/journal.db rw,noatime shared:1 - ext4 /dev/vda rw',
    '38 36 0:31 /a /mnt/with\\040space\\011tab\\134slash rw,noatime - ext4 /dev/vda rw',
  ].join('\n')

  test('is a mount point', () => {
    const mounted = ['/mnt/journal.db', '/mnt/with space\ttab\\slash']
    const places = [...mounted, '/mnt/journal', '/home/me/journal.db']
    expect(places.filter((place) => isMountPoint(place, mounts))).toEqual(mounted)
  })
})
