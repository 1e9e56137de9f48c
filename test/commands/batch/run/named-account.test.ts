// batch run with the file of a batch whose account got a name later.
import { expect, test } from 'vitest'
import { openWorld, overSocketUnhurried } from '../../../support/world.ts'

test('says how to continue the batch, and does not list differences', async () => {
  const shop = await openWorld(overSocketUnhurried)
  const rows = shop.file('sku,quote,quantity\nGAME-US,25,2\n', 'rows.csv')
  const words = ['--name', 'gifts', '--wallet', 'USD']
  expect((await shop.run(['batch', 'plan', rows, ...words])).exit).toBe(0)
  const env = { ORDERCTL_ACCOUNT: 'eu' }
  const { exit, stderr } = await shop.run(['batch', 'run', rows, ...words, '--max-total', '60'], { env })
  expect({ exit, stderr }).toEqual({
    exit: 11,
    stderr: expect.stringMatching(
      /error: the batch gifts already has these rows, but its account had a different name or address; nothing was sent\ntry: orderctl batch show gifts\nIf it is the same account, continue the batch: orderctl batch run gifts\n$/,
    ),
  })
  const shown = await shop.run(['batch', 'show', 'gifts'], { env })
  expect(shown.stdout).toMatch(/^Batch +gifts$/m)
})
