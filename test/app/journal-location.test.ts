// The journal at the command line, in folders with and without working locks.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createChildProcesses } from '../../src/child-processes.ts'
import { isAllRun } from '../support/cases.ts'
import { executable, orderctl } from '../support/orderctl.ts'
import { openWorld, overSocket } from '../support/world.ts'

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '-q']

const env = (folder: string) => ({ env: { ORDERCTL_STATE_DIR: folder } })

test.runIf(isAllRun).each([
  ['a lock of another process', 'BEGIN EXCLUSIVE', 'locked'],
  ['that there is none', 'BEGIN; SELECT * FROM a', 'free'],
])('the hidden __probe-lock sees %s, and makes no file', async (_, statement, found) => {
  const { home } = await openWorld()
  const file = path.join(home, 'probe.db')
  using database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE a (b); ${statement}`)
  expect(await orderctl(['__probe-lock', file], { cwd: home })).toEqual({
    ...{ exit: 0, stdout: `${found}\n`, stderr: '' },
  })
  const none = path.join(home, 'none.db')
  expect(await orderctl(['__probe-lock', none], { cwd: home })).toMatchObject({ exit: 1, stdout: '' })
  expect(existsSync(none)).toBe(false)
})

test('a process that sees another file proves nothing: nothing is sent', async () => {
  const shop = await openWorld(overSocket)
  const state = path.join(shop.home, 'state')
  const other = path.join(shop.home, 'other.db')
  new DatabaseSync(other).close()
  const { isLockSeen } = createChildProcesses(process.env, () => executable)
  const { exit, stdout, stderr } = await shop.atTerminal(order, {
    terminals: [],
    isLockSeen: () => isLockSeen(other),
  })
  const advice = 'Set ORDERCTL_STATE_DIR to a folder on a local disk.\n'
  expect([exit, stdout, stderr]).toEqual([
    9,
    '',
    expect.stringContaining(
      `error: the journal cannot be used: file locks do not work in ${state}; nothing was sent\n${advice}`,
    ),
  ])
  expect(await shop.asked()).toBe('')
  expect(readdirSync(state)).toEqual([])
})

test('a moved journal without working locks is neither read nor changed, and get still works', async () => {
  const shop = await openWorld(overSocket)
  const id = (await shop.must(...order)).trim()
  const folder = path.join(shop.home, 'moved')
  cpSync(path.join(shop.home, 'state'), folder, { recursive: true })
  const before = readFileSync(path.join(folder, 'journal.db'))
  const moved = { terminals: [], isLockSeen: async () => false, ...env(folder) } as const
  for (const [words, fact] of [
    [['list'], ''],
    [['confirm', id], '; nothing was sent'],
    [['get', '@last'], ''],
  ] as const) {
    const { exit, stderr } = await shop.atTerminal(words, moved)
    expect([exit, stderr]).toEqual([
      9,
      expect.stringContaining(
        `file locks do not work in ${folder}${fact}\nMove the folder ${folder} to a local disk, and set ORDERCTL_STATE_DIR to its new path.\n`,
      ),
    ])
  }
  const got = await shop.atTerminal(['get', id, '-q'], moved)
  expect([got.exit, got.stdout]).toEqual([0, `${id}\n`])
  expect(got.stderr).toContain('warning: ')
  expect(await shop.asked()).toBe('create get')
  expect(readFileSync(path.join(folder, 'journal.db'))).toEqual(before)
})
