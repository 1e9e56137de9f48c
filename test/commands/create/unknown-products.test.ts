// The error about unknown products has the same text with and without colour. unknown-products.session has the rest.
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'

test('the error at 80 columns, with and without colour', async () => {
  const shop = await openWorld()
  const words = ['create', '--product', 'GAMEUS:25', '--product', 'GAME-US:25/fixd', '--wallet', 'USD']
  const draw = async (colour: object) => {
    const env = { COLUMNS: '80', ...colour }
    return (await shop.atTerminal(words, { env })).stderr
  }
  const coloured = await draw({ NO_COLOR: '', FORCE_COLOR: '1' })
  expect(coloured.replaceAll('\u001b', '^')).toMatchSnapshot()
  expect(await draw({ NO_COLOR: '1' })).toBe(stripVTControlCharacters(coloured))
})
