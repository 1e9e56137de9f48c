// batch cancel: which cards it gives up. show.session has the rest.

import { expect, test } from 'vitest'
import { recordExpiry } from '../../../src/journal/orders/observations.ts'
import { listCalls } from '../../../src/journal/orders/queries.ts'
import { on, openWorld, overNetwork, respond } from '../../support/world.ts'
import { type BatchFill, openFilled, rowsOf } from './filled-journal.ts'

const opened = async (fill: BatchFill = {}) => {
  const filled = await openFilled({ rows: rowsOf(3), ...fill })
  const { batch, batches } = filled
  return {
    ...filled,
    count: () => batches.countCardsByState(batch.number),
    isCancelled: async () => (await batches.getBatch(batch.number))?.cancelledAt !== undefined,
  }
}

const words = ['batch', 'cancel', 'orders'] as const

test('gives up the wanted cards, except those of a paid order', async () => {
  const { shop, deliver, buy, count, isCancelled } = await opened()
  await deliver(1)
  await buy(2, 'confirmed')
  const { exit, stdout } = await shop.run(words)
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^State +– cancelled, it buys no more cards$/m)
  expect(stdout).toMatch(/^Cards +1 of 3 delivered, 1 open, 1 cancelled$/m)
  expect(stdout).toMatch(/^Cancelled +\d/m)
  expect([await count(), await isCancelled()]).toEqual([
    { wanted: 1, delivered: 1, failed: 0, duplicate: 0, cancelled: 1 },
    true,
  ])
})

test('succeeds if it was cancelled before, and gives up the cards of an unknown order that has expired since', async () => {
  const { shop, count, buy, batches, batch, journal } = await opened()
  await buy(1, 'unknown')
  await buy(2, 'created')
  await shop.must(...words)
  expect(await count()).toMatchObject({ wanted: 1, cancelled: 2 })
  const cancelledAt = (await batches.getBatch(batch.number))?.cancelledAt
  const [unknown] = await batches.listSlotOrders(batch.number, 1)
  if (unknown !== undefined) {
    const calls = await listCalls(journal.read, unknown.number)
    const confirms = calls.filter(({ operation }) => operation === 'confirm')
    await recordExpiry(journal, unknown, confirms, Date.now())
  }
  const again = await shop.run(words)
  expect(await count()).toMatchObject({ wanted: 0, cancelled: 3 })
  expect(again).toMatchObject({ exit: 0, stderr: 'The batch orders was already cancelled\n' })
  expect((await batches.getBatch(batch.number))?.cancelledAt).toBe(cancelledAt)
})

test('the run of a batch that is cancelled meanwhile says what was spent', async () => {
  const shop = await openWorld(overNetwork)
  const cancelAfter = on('confirm', async (request, service) => {
    const response = await service(request)
    await shop.must(...words, '--yes')
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
