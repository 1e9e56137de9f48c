// Two confirms of one order at once confirm it once. once.session has the others.
import { expect, test } from 'vitest'
import { on, openWorld, order, overNetwork } from '../../support/world.ts'

test('two at once confirm it once: the second read the order before the first had confirmed it', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
  shop.through(
    on('get', async (request, service) => {
      const response = await service(request)
      isRead()
      await released
      return response
    }),
  )
  const late = shop.asks(['confirm', id])
  await read
  shop.through()
  expect((await shop.asks(['confirm', id])).exit).toBe(0)
  release()
  expect(await late).toMatchObject({
    exit: 3,
    error: { message: `the order ${id} is already confirmed (confirmed)`, orderId: id },
  })
  expect(shop.sent('confirm')).toBe(1)
  expect(shop.bought()).toEqual([id])
})
