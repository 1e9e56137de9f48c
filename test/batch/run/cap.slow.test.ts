// The prompt for the cap of batch run, on a terminal.
import { describe, expect, test } from 'vitest'
import { noTerminal, typedInto } from '../../support/pseudo-terminal.ts'
import { openWorld } from '../../support/world.ts'

const words = ['batch', 'run', '--product', 'GAME-US:25x3', '--wallet', 'USD', '--name', 'gifts']

describe.skipIf(noTerminal() !== undefined)('Enter takes the face value that is offered', () => {
  test.each([
    ['by a prompt that is drawn again', {}, '(75)'],
    ['by a plain prompt', { TERM: 'dumb' }, '(Enter for 75):'],
  ])('%s', async (_case, variables, offer) => {
    const shop = await openWorld({ executable: true })
    const { environment } = shop
    const ran = await typedInto(
      words,
      { ...environment, ...variables },
      [offer, '\r'],
      ['at most 75.00 USD?', 'n\r'],
    )
    expect(ran.exit).toBe(130)
  })
})
