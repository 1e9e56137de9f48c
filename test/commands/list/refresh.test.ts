// When list --refresh warns. list.session has what it lists.
import { expect, test } from 'vitest'
import { on, openWorld, order, overNetwork, respond } from '../../support/world.ts'

test('Ctrl-C during a refresh loses no warning about an order that was asked for', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  await shop.id(...order.slice(0, -1), 'po-2')
  const stop = new AbortController()
  shop.through(
    on('get', async (request) => {
      if (request.path.includes(id)) return respond(400, 'Broken')
      await shop.clock.sleep(1000)
      stop.abort()
      throw stop.signal.reason
    }),
  )
  const { exit, stderr } = await shop.run(['list', '--refresh'], { interrupted: stop.signal })
  expect({ exit, stderr }).toEqual({
    exit: 130,
    stderr: `warning: the order ${id} was not refreshed: order ${id}: the service refused: Broken
Interrupted; the results so far are recorded
`,
  })
})
