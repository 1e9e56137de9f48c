// redeem --card: the table of one card. redeem.session has the rest.
import { expect, test } from 'vitest'
import { openWorld, scrub } from '../../support/world.ts'
import { inWords } from '../../ui/screens.ts'

const bought = async (...products: string[]) => {
  const shop = await openWorld()
  const order = await shop.ended(...products)
  return { ...shop, order }
}

test('the table of one card', async () => {
  const { atTerminal, order } = await bought('GAME-US:25', 'RIDE-JP:1000')
  const env = { COLUMNS: '80', NO_COLOR: '', FORCE_COLOR: '1' }
  const { exit, stdout } = await atTerminal(['redeem', order, '--card', '2'], { env })
  expect(exit).toBe(0)
  expect(scrub(inWords(stdout))).toMatchSnapshot()
})
