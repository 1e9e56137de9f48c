// The location of the journal on real file systems: mounted ones, and those whose locks strace disturbs.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cannotMount, smallDisk } from '../support/disks.ts'
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
    expect.stringContaining(`error: the journal cannot be used: ${why}\n`),
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
  expect(readFileSync(path.join(folder, 'journal.db.location'), 'utf8')).toContain('file system 1021994, ')
  expect(await shop.run(order, { env })).toMatchObject({ exit: 0 })
})

describe('a mounted disk that statfs reports as FUSE', () => {
  const orderOn = (shop: World, folder: string): Promise<Ran> =>
    shop.run(order, {
      env: {
        ORDERCTL_STATE_DIR: folder,
        ...preload(shop, "require('node:fs').statfsSync = () => ({ type: 0x65735546n })"),
      },
    })

  test('is refused if its source is another machine', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    const shop = await openWorld(byExecutable)
    const folder = diskIn(shop)
    using _disk = smallDisk(folder, '2m', 'me@host:/home/me')
    const ran = await orderOn(shop, folder)
    await expectRefusal(shop, folder, ran, `${folder} is on a network file system (tmpfs)`)
  })

  test('is used if its source is local', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    const shop = await openWorld(byExecutable)
    const folder = diskIn(shop)
    using _disk = smallDisk(folder, '2m', '/dev/fuse')
    expect(await orderOn(shop, folder)).toMatchObject({ exit: 0 })
    expect(existsSync(path.join(folder, 'journal.db.location'))).toBe(true)
  })
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
