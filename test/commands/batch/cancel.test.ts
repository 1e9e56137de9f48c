// What a run says was spent if it ends early. orders.session and show.session have the rest of batch cancel.
import { expect, test } from 'vitest'
import { on, openWorld, overNetwork, respond } from '../../support/world.ts'

test('the run of a batch that is cancelled meanwhile says what was spent', async () => {
  const shop = await openWorld(overNetwork)
  const cancelAfter = on('confirm', async (request, service) => {
    const response = await service(request)
    await shop.must('batch', 'cancel', 'orders', '--yes')
    return response
  })
  shop.through(cancelAfter)
  const flags = ['--wallet', 'USD', '--max-total', '500', '--name', 'orders', '--parallel', '1']
  const { exit, stderr } = await shop.run(['batch', 'run', '--product', 'GAME-US:25x12', ...flags])
  expect(exit).toBe(8)
  expect(stderr).toMatch(
    /error: the batch orders was cancelled .*while it ran; 125\.00 of 500\.00 USD spent, 5 of 12 cards delivered\n/,
  )
})

test('a run that buys nothing says what earlier runs spent', async () => {
  const shop = await openWorld(overNetwork)
  const flags = ['--wallet', 'USD', '--name', 'orders', '--parallel', '1']
  const run = ['batch', 'run', '--product', 'GAME-US:25x6', ...flags]
  await shop.run([...run, '--max-total', '130'])
  shop.through(async () => respond(403, 'no'))
  const { stderr } = await shop.run([...run, '--max-total', '500'])
  expect(stderr).toContain('; 125.00 of 500.00 USD spent by earlier runs; 1 of 6 cards is still open')
})
