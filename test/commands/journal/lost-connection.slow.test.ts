// The connection to a shared journal is lost, and several commands or a batch go on. lost-connection.slow.session has each step.
import { expect, test } from 'vitest'
import { overSocket } from '../../support/world.ts'
import { buy, openTeam } from './team.ts'

test('several commands record the outcome of a confirm at once, and it is recorded once', async () => {
  const { run, prepare, loseAt, kept, proxy, database } = await openTeam()
  await prepare()
  // The outcome of the confirm.
  loseAt('UPDATE calls SET outcome', { nth: 2 })
  await run(buy)
  proxy.refuse(false)
  const all = await Promise.all(Array.from({ length: 4 }, () => run(['list', '-q'])))
  expect(all.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(all.map(() => ({ exit: 0, stderr: '' })))
  expect(kept()).toEqual([])
  expect(await database.admin('SELECT outcome FROM calls')).toEqual([
    { outcome: 'done' },
    { outcome: 'done' },
  ])
  expect(await database.admin('SELECT standing FROM orders')).toEqual([{ standing: 'confirmed' }])
})

test('a batch stops, and no card is bought twice when it runs again', async () => {
  const { run, prepare, shop, proxy, kept, database, json } = await openTeam({ way: overSocket })
  await prepare()
  const file = shop.file(
    JSON.stringify(Array.from({ length: 6 }, () => ({ sku: 'GAME-US', quote: 25, quantity: 10 }))),
    'rows.json',
  )
  const batch = ['batch', 'run', file, '--name', 'gifts', '--wallet', 'USD', '--max-total', '2000', '--yes']
  void proxy.cutAt('UPDATE calls SET outcome', { nth: 5 }).then(() => {
    proxy.refuse(true)
    proxy.cut()
  })
  const { exit, stderr } = await run([...batch, '--json'])
  expect(exit, stderr).toBe(13)
  expect(stderr).not.toContain('nothing was')
  // Several orders are under way at once.
  const { length } = shop.bought()
  const orders = length === 1 ? '1 order' : `${length} orders`
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({
    code: 'stopped',
    message: expect.stringMatching(
      /^the batch gifts stopped, because its journal cannot be used: .*cannot connect to postgres:/,
    ),
    violations: [
      expect.stringMatching(new RegExp(`^this run has bought ${orders}, [\\d,]+\\.00 USD in all$`)),
      expect.stringMatching(/^\d outcomes? saved on this machine, /),
    ],
    advice: expect.stringContaining(
      'run the batch again, on this machine: orderctl batch run gifts. It buys no card twice.',
    ),
    retryable: true,
  })
  expect(kept().length).toBeGreaterThan(0)
  proxy.refuse(false)
  // The time passes for which the first run holds its orders, which it could not release.
  await database.admin('UPDATE orders SET held_until = NULL')
  const again = await run([...batch, '--json'])
  expect(again.exit, again.stderr).toBe(0)
  expect(kept()).toEqual([])
  const confirmed = await database.admin('SELECT order_id FROM orders WHERE confirmed_at IS NOT NULL')
  expect(shop.bought().toSorted()).toEqual(confirmed.map(({ order_id }) => order_id).toSorted())
  expect(await json('batch', 'show', 'gifts')).toMatchObject({ cardCounts: { delivered: 60 } })
})
