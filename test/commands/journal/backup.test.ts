// A backup during a batch, and of a shared journal. backup.session has the others.
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
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
