// ORDERCTL_TIMEOUT is how long a call may take. variables.session has its values.
import { expect, test } from 'vitest'
import { openWorld, overSocket } from '../support/world.ts'

test.each([
  ['200ms', [], 'timed out after 0.2 s'],
  ['30s', ['--timeout', '300ms'], 'timed out after 0.3 s'],
  ['1ms', ['--timeout', '400ms'], 'timed out after 0.4 s'],
])('ORDERCTL_TIMEOUT=%s gives way to %j', async (ORDERCTL_TIMEOUT, flags, message) => {
  const shop = await openWorld(overSocket)
  const id = await shop.created('GAME-US:25')
  await shop.fault('get:latency=20s')
  const { exit, stderr } = await shop.run(['get', id, ...flags], { env: { ORDERCTL_TIMEOUT } })
  expect([exit, stderr]).toEqual([5, expect.stringContaining(message)])
})
