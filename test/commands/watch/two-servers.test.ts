// Two servers of a service, one of which is behind, show different states in turn.
import { expect, test } from 'vitest'
import { altered, on, openWorld, overNetwork } from '../../support/world.ts'

test('watch ends after 30 minutes without a new state', { timeout: 30_000 }, async () => {
  const shop = await openWorld(overNetwork)
  const orderId = await shop.confirmed('GAME-US:25')
  let reads = 0
  shop.through(
    on('get', async (request, service) => {
      reads += 1
      const state = reads % 2 === 0 ? 'confirmed' : 'processing'
      return altered(await service(request), (data) => ({ ...data, state, redeem: null }))
    }),
  )
  const { exit, stderr } = await shop.run(['watch', orderId, '-q'])
  expect([exit, stderr]).toEqual([124, expect.stringContaining('no change for 30 min')])
})
