// Who placed an order, as the system reports it. list.session has what is listed.
import { hostname, userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'

test('the executable records the user and the machine that the system reports', async () => {
  const shop = await openWorld({ executable: true })
  await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD')
  const [{ by }] = JSON.parse(await shop.must('list', '--mine', '--json'))
  expect(by).toMatchObject({ role: null, user: userInfo().username, host: hostname() })
})
