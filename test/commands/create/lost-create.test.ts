// A create whose outcome is damaged, or whose response comes late. lost.session has the others.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { never, on, openWorld, order, overNetwork, type World } from '../../support/world.ts'

const minute = 60_000
const buys = [...order, '--confirm']

/** As only damage can: without the check of the column. */
const damageOutcome = ({ home }: World): void => {
  using database = new DatabaseSync(path.join(home, 'state', 'journal.db'))
  database.exec(`PRAGMA ignore_check_constraints = ON; UPDATE calls SET outcome = 'dome'`)
}

test('a create whose outcome is damaged in the journal is not in flight: its reference is free', async () => {
  const shop = await openWorld(overNetwork)
  shop.through(on('create', never))
  void shop.runIn(buys)
  while (shop.sent('create') === 0) await new Promise(setImmediate)
  shop.through()
  damageOutcome(shop)
  const { exit, data } = await shop.asks(buys)
  expect([exit, shop.sent('create'), shop.bought()]).toEqual([0, 2, [data.uid]])
  expect(shop.journal('SELECT state FROM orders ORDER BY number')).toEqual([
    { state: 'lost' },
    { state: 'confirmed' },
  ])
})

test('two creates of one reference, the first gets its response last: it finds the purchase made, and is not confirmed', async () => {
  const shop = await openWorld(overNetwork)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  shop.through(
    on('create', async (request, service) => {
      await released
      return service(request)
    }),
  )
  const slow = shop.asks([...buys, '--timeout', '10m'])
  while (shop.sent('create') === 0) await new Promise(setImmediate)
  shop.clock.pass(minute + 1)
  shop.through()
  const { exit, data } = await shop.asks(buys)
  expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [data.uid] })
  release()
  const late = await slow
  const { orderId } = late.error
  expect(late).toMatchObject({
    exit: 11,
    error: {
      code: 'duplicate',
      message: `the reference po-1 is already used by the order ${data.uid} (confirmed); the order ${orderId} was not confirmed`,
      fix: `orderctl get ${data.uid}`,
      advice: 'To pay for both orders, use confirm with --allow-duplicate.',
    },
  })
  expect(orderId).not.toBe(data.uid)
  expect(shop.sent('confirm')).toBe(1)
  expect(shop.bought()).toEqual([data.uid])
})
