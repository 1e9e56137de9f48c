// Each variable of an assistant. require-person.session has the commands that need a person.
import { expect, test } from 'vitest'
import { assistants } from '../../src/cli/variables.ts'
import { openWorld, overNetwork } from '../support/world.ts'

test.each(Object.keys(assistants))('%s: an order is not bought, and nothing is sent', async (name) => {
  const shop = await openWorld(overNetwork)
  const env = { [name]: name === 'CURSOR_EXTENSION_HOST_ROLE' ? 'agent-exec' : '1' }
  const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm']
  const { exit, stderr } = await shop.run(words, { env })
  expect([exit, stderr]).toEqual([12, expect.stringContaining(`(${name} is set); nothing was sent`)])
  expect(shop.sent('create')).toBe(0)
})
