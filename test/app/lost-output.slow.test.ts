// Where what the executable writes does not arrive: a full disk, a pipe that nobody reads, a reader that is slow.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { executable } from '../support/orderctl.ts'
import { openerFor, overSocket, scrub, type World } from '../support/world.ts'

const open = openerFor(overSocket)

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

const id = 'sbx_1234567890abcdef'
const create = 'create --product GAME-US:25 --wallet USD --reference r'

/** Each with what it prints before, the requests, and what the error says about the order. */
const cases: [line: string, before: string, asked: string, fact: string][] = [
  [create, 'where it acts\n', 'create', `the order ${id} was created, and is not confirmed`],
  [`${create} --json`, '', 'create', `the order ${id} was created, and is not confirmed`],
  [`${create} --confirm --json`, '', 'create get confirm get', `the order ${id} is confirmed`],
  ['confirm ID --json', '', 'create get confirm get', `the order ${id} is confirmed`],
  ['watch ENDED --json', '', 'create confirm get', `the order ${id} is successful`],
  ['get ENDED', '', 'create confirm get', ''],
  ['profile list', 'Commands use environment, selected by ORDERCTL_BASE_URL\n', '', ''],
]

/** The words of a line, whose order exists. */
const findWords = async (shop: World, line: string): Promise<string[]> => {
  const ended = line.includes('ENDED') ? await shop.ended('GAME-US:25') : ''
  const created = line.includes(' ID') ? await shop.created('GAME-US:25') : ''
  return line.replace('ENDED', ended).replace(' ID', ` ${created}`).split(' ')
}

/** The last error is that the result was lost. */
const separateError = (stderr: string): [before: string, error: string] => {
  const at = stderr.search(/^(error: |\{"error")/m)
  if (at < 0) return [stderr, '']
  // On a slow machine, the service is already processing the order.
  const said = stderr.slice(at).replace(' is processing;', ' is confirmed;')
  const message = said.startsWith('{') ? JSON.parse(said).error.message : /^error: (.*)/.exec(said)?.[1]
  return [stderr.slice(0, at), message]
}

const lose = (fact: string, why: string): string =>
  `${fact}${fact && '; '}the result could not be written in full: ${why}`

const outputs = ['a closed pipe', ...(process.platform === 'linux' ? ['a full disk'] : [])]

test.for(outputs.flatMap((output) => cases.map((each) => [output, ...each] as const)))(
  'on %s, %s ends with 74, and says what the order became',
  async ([output, line, before, asked, fact]) => {
    const shop = await open()
    const full = output === 'a full disk' ? openSync('/dev/full', 'w') : undefined
    const child = spawned(shop, await findWords(shop, line), full ?? 'pipe')
    if (full === undefined) child.stdout.destroy()
    else closeSync(full)
    const [said, [exit]] = await Promise.all([child.stderr.toArray(), once(child, 'close')])
    const why = full === undefined ? 'broken pipe' : 'no space left on device'
    const error = fact === '' && full === undefined ? '' : lose(fact, why)
    expect([exit, ...separateError(scrub(said.join('')))]).toEqual([74, before, error])
    expect(await shop.asked()).toBe(asked)
  },
)

test.each([['--json'], ['--reveal']])(
  'a watch whose reader has gone ends with 74, without a wait for the order: %j',
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

test('an error, for which stdout has nothing to lose, keeps its own exit code', async () => {
  const shop = await open()
  const child = shop.starts(['get', 'ord_nobody'])
  child.stdout.destroy()
  expect((await child).exitCode).toBe(3)
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
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: order, state: 'successful' })
})
