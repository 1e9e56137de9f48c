// The location of the journal on real file systems: mounted ones, and those whose locks strace disturbs.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { bindMount, cannotMount, smallDisk } from '../support/disks.ts'
import { readMachineFile } from '../support/machine-file.ts'
import type { Ran } from '../support/orderctl.ts'
import { byExecutable, openWorld, type World } from '../support/world.ts'
import { cannotTrace, disturbLocks } from './strace.ts'

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '-q']

/** Runs this script in orderctl and in its lock probe, before their own code. */
const preload = ({ home, file }: World, script: string) => ({
  NODE_OPTIONS: `--require=${path.join(home, file(script, 'preload.cjs'))}`,
})

const diskIn = ({ home }: World): string => {
  const folder = path.join(home, 'disk')
  mkdirSync(folder)
  return folder
}

const expectRefusal = async (shop: World, folder: string, { exit, stdout, stderr }: Ran, why: string) => {
  expect([exit, stdout, stderr]).toEqual([
    9,
    '',
    expect.stringContaining(`error: the journal cannot be used: ${why}; nothing was sent\n`),
  ])
  expect(await shop.asked()).toBe('')
  expect(readdirSync(folder)).toEqual([])
}

test('a journal that was moved to a mounted disk is checked there, and used', async ({ skip }) => {
  if (cannotMount) skip(cannotMount)
  const shop = await openWorld(byExecutable)
  await shop.must(...order, '--reference', 'moved')
  const folder = diskIn(shop)
  using _disk = smallDisk(folder, '2m')
  cpSync(path.join(shop.home, 'state'), folder, { recursive: true })
  const env = { ORDERCTL_STATE_DIR: folder }
  const { exit, stdout } = await shop.run(['list', '--json'], { env })
  expect([exit, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ reference: 'moved' })]])
  // The type of a tmpfs in linux/magic.h.
  expect(readMachineFile(folder).location).toContain('file system 1021994, ')
  expect(await shop.run(order, { env })).toMatchObject({ exit: 0 })
})

test('on a network disk, nothing is noted of a shared journal', async () => {
  const shop = await openWorld(byExecutable)
  const folder = diskIn(shop)
  const env = {
    ORDERCTL_STATE_DIR: folder,
    ORDERCTL_JOURNAL: 'postgres://ana@127.0.0.1:9/orders',
    ...preload(shop, "require('node:fs').statfsSync = () => ({ type: 0x6969n })"),
  }
  const ran = await shop.run(order, { env })
  await expectRefusal(shop, folder, ran, `${folder} is on a network file system (NFS)`)
})

test.for([
  // The number 2 (F_UNLCK) says that no other process has the lock.
  ['every process gets every lock', 'retval=0:poke_exit=@arg3=0200'],
  ['no process gets a lock', 'error=ENOLCK'],
] as const)('on a disk where %s, nothing is sent', async ([_name, how], { skip }) => {
  if (cannotTrace) skip(cannotTrace)
  const shop = await openWorld(byExecutable)
  const state = path.join(shop.home, 'state')
  const ran = await shop.run(order, {
    // strace selects files by their paths, so the folder of the probe needs a fixed name.
    env: preload(
      shop,
      `const fs = require('node:fs')
      fs.mkdtempSync = (prefix) => (fs.mkdirSync(prefix + 'fixed'), prefix + 'fixed')`,
    ),
    under: disturbLocks(path.join(state, '.lock-probe-fixed', 'probe.db'), how),
  })
  await expectRefusal(shop, state, ran, `file locks do not work in ${state}`)
})

describe('a journal with two paths', () => {
  /** `give` makes the file of the first folder appear in the second one. Returns both folders. */
  const openTwice = async (give: (one: string, other: string) => void) => {
    const shop = await openWorld(byExecutable)
    await shop.must(...order, '--reference', 'first')
    const [one, other] = ['state', 'other'].map((name) => path.join(shop.home, name)) as [string, string]
    mkdirSync(other)
    give(one, other)
    return { shop, folders: [one, other] }
  }
  const journalIn = (folder: string): string => path.join(folder, 'journal.db')
  /** As a `watch` does: until the journal is closed, SQLite keeps the log. */
  const keepOpen = async (folder: string) => {
    const script = `const { DatabaseSync } = require('node:sqlite')
      const database = new DatabaseSync(${JSON.stringify(journalIn(folder))})
      database.prepare('SELECT count(*) FROM orders').get()
      process.stdin.on('end', () => database.close()).resume()
      console.log('open')`
    const keeper = spawn(process.execPath, ['-e', script])
    await once(keeper.stdout, 'data')
    return async () => {
      keeper.stdin.end()
      await once(keeper, 'close')
    }
  }
  /** Orders four references over both paths at once. Returns the exit codes. */
  const orderTwice = async (shop: World, folders: readonly string[]): Promise<string[]> => {
    await using stack = new AsyncDisposableStack()
    for (const folder of folders) stack.defer(await keepOpen(folder))
    const exits: string[] = []
    for (const reference of ['r1', 'r2', 'r3', 'r4']) {
      const words = [...order, '--confirm', '--reference', reference]
      const runs = folders.map((folder) => shop.run(words, { env: { ORDERCTL_STATE_DIR: folder } }))
      exits.push((await Promise.all(runs)).map(({ exit }) => exit).join(' '))
    }
    return exits
  }
  const expectEachBoughtOnce = async (shop: World, folders: readonly string[]) => {
    const exits = await orderTwice(shop, folders)
    expect(exits).toEqual(Array(4).fill(expect.stringMatching(/^(0 11|11 0)$/)))
    expect(shop.bought()).toHaveLength(4)
  }

  test('as hard links: both are refused, and still read', async () => {
    const { shop, folders } = await openTwice((one, other) => linkSync(journalIn(one), journalIn(other)))
    expect(await orderTwice(shop, folders)).toEqual(Array(4).fill('9 9'))
    expect(shop.bought()).toEqual([])
    for (const folder of folders) {
      const { exit, stdout } = await shop.run(['list', '--json'], { env: { ORDERCTL_STATE_DIR: folder } })
      expect([exit, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ reference: 'first' })]])
    }
  })

  test('as a mounted file: the mount is refused', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    using stack = new DisposableStack()
    const { shop, folders } = await openTwice((one, other) => {
      writeFileSync(journalIn(other), '')
      stack.use(bindMount(journalIn(one), journalIn(other)))
    })
    expect(await orderTwice(shop, folders)).toEqual(Array(4).fill('0 9'))
    expect(shop.bought()).toHaveLength(4)
    const env = { ORDERCTL_STATE_DIR: folders[1] ?? '' }
    const { stderr } = await shop.run(order, { env })
    expect(stderr).toContain(`${folders[1]}/journal.db is a mount point`)
    expect(stderr).toContain('Mount its folder instead. To share a journal, use PostgreSQL (docs/teams.md).')
  })

  test('as a mounted folder: both are used', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    using stack = new DisposableStack()
    const { shop, folders } = await openTwice((one, other) => void stack.use(bindMount(one, other)))
    await expectEachBoughtOnce(shop, folders)
  })

  test('as a symbolic link: both are used, because SQLite keeps one log', async () => {
    const { shop, folders } = await openTwice((one, other) => symlinkSync(journalIn(one), journalIn(other)))
    await expectEachBoughtOnce(shop, folders)
    expect(readdirSync(folders[1] ?? '').filter((name) => /^journal.*-(wal|shm)$/.test(name))).toEqual([])
  })
})
