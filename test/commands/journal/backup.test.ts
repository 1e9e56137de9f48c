// A backup of the journal: it is complete, a restore is noticed, and a new machine continues with it.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readDatabase } from '../../support/scratch.ts'
import { openWorld, order, overNetwork, overSocket } from '../../support/world.ts'
import { openTeam } from './team.ts'

const buy = (reference: string) => [
  ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference, '--confirm'],
]

const openShop = async (way = overNetwork) => {
  const shop = await openWorld(way)
  const folder = path.join(shop.home, 'backup')
  mkdirSync(folder)
  const file = path.join(folder, 'journal.db')
  return {
    ...shop,
    folder,
    file,
    state: path.join(shop.home, 'state'),
    backUp: (...more: string[]) => shop.run(['journal', 'backup', file, ...more]),
  }
}

/** As docs/journal.md says. */
const putInto = (state: string, file: string): void => {
  for (const ending of ['-wal', '-shm']) rmSync(path.join(state, `journal.db${ending}`), { force: true })
  copyFileSync(file, path.join(state, 'journal.db'))
}

test('both files are readable only by their owner, and nothing is overwritten', async () => {
  const { must, file, folder, backUp } = await openShop()
  await must(...buy('po-1'))
  const { exit, stdout } = await backUp('--json')
  expect([exit, JSON.parse(stdout)]).toEqual([
    0,
    { journal: file, machine: `${file}.machine`, bytes: statSync(file).size },
  ])
  for (const each of [file, `${file}.machine`]) expect(statSync(each).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toHaveLength(2)
  const before = statSync(file).mtimeMs
  expect(await backUp()).toMatchObject({
    exit: 2,
    stderr: `error: ${file} already exists\nChoose another file.\n`,
  })
  rmSync(file)
  expect((await backUp()).stderr).toContain(`${file}.machine already exists`)
  expect([before > 0, readdirSync(folder)]).toEqual([true, ['journal.db.machine']])
})

test('a backup during a batch has each order that was recorded before, and is complete', async () => {
  const { run, must, backUp, file } = await openShop(overSocket)
  await must(...buy('po-1'))
  const batch = ['batch', 'run', '--product', 'GAME-US:25x40', '--wallet', 'USD', '--max-total', '1000']
  const buying = run([...batch, '--split', '1', '--yes'])
  const { exit, stderr } = await backUp()
  expect(exit, stderr).toBe(0)
  await buying
  readDatabase(file, (database) => {
    expect(database.prepare('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' })
    expect(database.prepare("SELECT standing FROM orders WHERE reference = 'po-1'").get()).toEqual({
      standing: 'confirmed',
    })
    const [known] = readDatabase(`${file}.machine`, (machine) =>
      machine.prepare('SELECT call_id FROM journals').all(),
    )
    const query = 'SELECT count(*) AS count FROM calls WHERE id = ?'
    expect(database.prepare(query).get(String(known?.call_id))).toEqual({ count: 1 })
  })
})

test('a restored backup is noticed, and journal forget continues with it', async () => {
  const { must, run, backUp, file, state, sent } = await openShop()
  await must(...buy('po-1'))
  await backUp()
  await must(...buy('po-2'))
  putInto(state, file)
  const { exit, stderr } = await run(buy('po-2'))
  expect([exit, stderr]).toEqual([
    9,
    expect.stringContaining(
      "; nothing was sent\ntry: orderctl reconcile\nCompare the service's orders with the output of list. Then use journal forget to continue.\n",
    ),
  ])
  expect([sent('create'), sent('confirm')]).toEqual([2, 2])
  expect((await run(['reconcile'])).exit).toBe(0)
  expect((await run(['journal', 'forget'])).stdout).toMatch(
    new RegExp(`^Forgot ${state}/journal.db \\(newest call (now|\\d+ s ago)\\)\\.\n$`),
  )
  expect((await run(buy('po-1'))).exit).toBe(11)
  await must(...buy('po-3'))
})

test('a new machine with both files continues, and notices an older journal', async () => {
  const { must, run, backUp, file, home } = await openShop()
  await must(...buy('po-1'))
  await backUp()
  const state = path.join(home, 'new')
  mkdirSync(state, { mode: 0o700 })
  putInto(state, file)
  copyFileSync(`${file}.machine`, path.join(state, 'machine.db'))
  const env = { ORDERCTL_STATE_DIR: state }
  expect((await run(buy('po-1'), { env })).exit).toBe(11)
  expect((await run(buy('po-2'), { env })).exit).toBe(0)
  putInto(state, file)
  expect((await run(buy('po-3'), { env })).exit).toBe(9)
})

describe('on a terminal', () => {
  test('journal forget asks first', async () => {
    const { must, atTerminal, state } = await openShop()
    await must(...buy('po-1'))
    rmSync(path.join(state, 'journal.db'))
    const refused = await atTerminal(['journal', 'forget'], { answers: [false] })
    expect([refused.exit, refused.questions]).toEqual([
      130,
      [
        expect.stringMatching(
          /^Forget .*journal\.db \(newest call .*\)\? Its saved outcomes are lost, and orders that/,
        ),
      ],
    ])
    expect((await atTerminal(buy('po-1'), { answers: [true] })).exit).toBe(9)
    expect((await atTerminal(['journal', 'forget'], { answers: [true] })).exit).toBe(0)
    expect((await atTerminal(buy('po-1'), { answers: [true] })).exit).toBe(0)
  })
})

test('a journal that cannot be copied', async () => {
  const { backUp, state, folder } = await openShop()
  const missing = await backUp()
  expect([missing.exit, missing.stderr]).toEqual([
    9,
    `error: ${state}/journal.db does not exist, so there is nothing to back up\n`,
  ])
  mkdirSync(state, { recursive: true })
  writeFileSync(path.join(state, 'journal.db'), 'no database')
  expect(await backUp()).toMatchObject({ exit: 9, stderr: expect.stringContaining('is not a database') })
  expect(readdirSync(folder)).toEqual([])
})

test('for a shared journal, the error names pg_dump', async () => {
  const { run, address, shop } = await openTeam()
  await run(order)
  const file = path.join(shop.home, 'copy.db')
  const { exit, stderr } = await run(['journal', 'backup', file])
  expect([exit, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^error: .* postgres:.*\ntry: pg_dump --format=custom --file=orders\.dump '?postgres:/,
    ),
  ])
  expect(stderr).toContain(address)
  expect(existsSync(file)).toBe(false)
})
