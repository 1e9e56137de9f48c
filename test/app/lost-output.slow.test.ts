// Where what the executable writes does not arrive: a full disk, a pipe that nobody reads, a reader that is slow.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { executable } from '../support/orderctl.ts'
import { openerFor, overSocket, scrub, type World } from '../support/world.ts'

const create = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r']

const open = openerFor(overSocket)

type Words = (shop: World) => string[] | Promise<string[]>

const spending: [string, Words, string, string][] = [
  ['create', () => create, 'where it acts\n', 'create'],
  ['create --json', () => [...create, '--json'], '', 'create'],
  ['create --confirm --json', () => [...create, '--confirm', '--json'], '', 'create get confirm get'],
  [
    'confirm --json',
    async ({ created }) => ['confirm', await created('GAME-US:25'), '--json'],
    '',
    'create get confirm get',
  ],
]
const reading: [string, Words, string, string][] = [
  ['get', async ({ ended }) => ['get', await ended('GAME-US:25')], '', 'create confirm get'],
  [
    'watch --json',
    async ({ ended }) => ['watch', await ended('GAME-US:25'), '--json'],
    '',
    'create confirm get',
  ],
  [
    'profile list',
    () => ['profile', 'list'],
    'Commands use environment, selected by ORDERCTL_BASE_URL\n',
    '',
  ],
]

/** Not as elsewhere: nobody reads what it writes. */
const spawned = ({ home, environment }: World, words: readonly string[], stdout: number | 'pipe') => {
  const caches = { XDG_CACHE_HOME: path.resolve('node_modules/.cache') }
  const env = { PATH: process.env.PATH, HOME: home, ...caches, ...environment }
  const [file = '', ...rest] = [...executable, ...words]
  return spawn(file, rest, {
    stdio: ['ignore', stdout, 'pipe'],
    env,
    timeout: 100_000,
  }) as ChildProcessByStdio<null, Readable, Readable>
}

const order = 'sbx_1234567890abcdef'
/** What is certain of the order, for it stands nowhere else. */
const facts = new Map([
  ['create', `the order ${order} was created, and is not confirmed`],
  ['create --json', `the order ${order} was created, and is not confirmed`],
  ['create --confirm --json', `the order ${order} is confirmed`],
  ['confirm --json', `the order ${order} is confirmed`],
  ['watch --json', `the order ${order} is successful`],
])

/** The last word is that the result was lost. */
const apart = (stderr: string) => {
  const at = stderr.search(/^(error: |\{"error")/m)
  if (at < 0) return { stderr, lost: undefined }
  // On a slow machine, the service is already processing the order.
  const said = stderr.slice(at).replace(' is processing;', ' is confirmed;')
  return {
    stderr: stderr.slice(0, at),
    lost: said.startsWith('{') ? JSON.parse(said).error.message : /^error: (.*)/.exec(said)?.[1],
  }
}

const lostOn = (name: string, why: string): string | undefined => {
  const known = facts.get(name)
  if (known !== undefined) return `${known}; the result could not be written in full: ${why}`
  return why === 'broken pipe' ? undefined : `the result could not be written in full: ${why}`
}

describe('exit code 74, and what the order became', { concurrent: true }, () => {
  test.runIf(process.platform === 'linux').each([...spending, ...reading])(
    'of %s on a full disk',
    async (name, words, stderr, asked) => {
      const shop = await open()
      const full = openSync('/dev/full', 'w')
      const child = spawned(shop, await words(shop), full)
      closeSync(full)
      const [said, [exit]] = await Promise.all([child.stderr.toArray(), once(child, 'close')])
      expect({ exit, ...apart(scrub(said.join(''))) }).toEqual({
        exit: 74,
        stderr,
        lost: lostOn(name, 'no space left on device'),
      })
      expect(await shop.asked()).toBe(asked)
    },
  )

  test.each([...spending, ...reading])('of %s into a closed pipe', async (name, words, stderr, asked) => {
    const shop = await open()
    const child = shop.starts(await words(shop))
    child.stdout.destroy()
    const ran = await child
    expect({ exit: ran.exitCode, ...apart(scrub(ran.stderr)) }).toEqual({
      exit: 74,
      stderr,
      lost: lostOn(name, 'broken pipe'),
    })
    expect(await shop.asked()).toBe(asked)
  })

  test.each([['--json'], ['--reveal']])(
    'of a watch whose reader has gone, without a wait for the order: %j',
    async (...flags) => {
      const shop = await open()
      // It takes a minute, and the test has less.
      const child = shop.starts(['watch', await shop.confirmed('TEST-SLOW:10'), ...flags])
      await once(child.stdout, 'data')
      child.stdout.destroy()
      await shop.advance('31s')
      expect((await child).exitCode).toBe(74)
      expect(await shop.calls.mock('GET', '/state')).toMatchObject({
        data: { orders: [{ state: 'processing' }] },
      })
    },
  )

  test('of an error there is nothing on stdout to lose: its own exit code', async () => {
    const shop = await open()
    const child = shop.starts(['get', 'ord_nobody'])
    child.stdout.destroy()
    expect((await child).exitCode).toBe(3)
  })
})

test('a slow reader gets everything', async () => {
  const shop = await open()
  const order = await shop.ended('GAME-US:25', 'GAME-DE:20', 'COFFEE-US:10')
  // Far more than a pipe holds.
  const times = 60
  let gets = 0
  const all = new Promise<void>((resolve) => {
    shop.arrived.on('get', () => {
      gets += 1
      if (gets === times) resolve()
    })
  })
  const words = ['get', ...Array.from({ length: times }, () => order), '--json']
  const child = spawned(shop, words, 'pipe')
  const ended = once(child, 'close')
  await all
  const chunks: Buffer[] = await child.stdout.toArray()
  expect(await ended).toEqual([0, null])
  const lines = Buffer.concat(chunks).toString().trimEnd().split('\n')
  expect(lines).toHaveLength(times)
  expect(Buffer.concat(chunks).length).toBeGreaterThan(100_000)
  expect(new Set(lines).size).toBe(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ uid: order, state: 'successful' })
})
