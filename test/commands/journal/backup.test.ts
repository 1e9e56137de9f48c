// A backup during a batch. backup.slow.session has the others.
import path from 'node:path'
import { expect, test } from 'vitest'
import { readDatabase } from '../../support/scratch.ts'
import { openWorld, order, overSocket } from '../../support/world.ts'

test('a backup during a batch has each order that was recorded before, and is complete', async () => {
  const { home, run, must } = await openWorld(overSocket)
  const file = path.join(home, 'backup.db')
  await must(...order, '--confirm')
  const batch = ['batch', 'run', '--product', 'GAME-US:25x40', '--wallet', 'USD', '--max-total', '1000']
  const buying = run([...batch, '--parallel', '1', '--yes'])
  const { exit, stderr } = await run(['journal', 'backup', file])
  expect(exit, stderr).toBe(0)
  expect(await buying).toMatchObject({ exit: 0 })
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
