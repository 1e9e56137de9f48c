// batch run while the sandbox is reset, or responds no more. meanwhile.session has what other processes do.
import { expect, test } from 'vitest'
import { realClock } from '../../support/in-process.ts'
import { openWorld, overNetwork } from '../../support/world.ts'

const patient = { timeout: 60_000 }

test('a batch that a reset of the sandbox deletes while it runs is not complete', async () => {
  const shop = await openWorld()
  const stop = new AbortController()
  const flags = ['--wallet', 'USD', '--max-total', '100', '--name', 'gifts', '--yes']
  const words = ['batch', 'run', '--product', 'TEST-SLOW:10', ...flags]
  // On the real clock, the slow order is not delivered meanwhile.
  const ran = shop.atTerminal(words, { interrupted: stop.signal, clock: realClock })
  await expect.poll(async () => (await shop.calls.mock('GET', '/state')).data.orders.length, patient).toBe(1)
  await shop.must('sandbox', 'reset')
  stop.abort()
  const { exit, stdout, stderr } = await ran
  expect([exit, stdout]).toEqual([9, ''])
  expect(stderr).toContain('the batch gifts was deleted from the journal while it ran')
})

test.each([1, 12])('a batch of %i cards ends if the service is silent after a confirm', async (count) => {
  const shop = await openWorld(overNetwork)
  shop.through(async (request, service) => {
    const { method, signal } = request
    if (method === 'PUT') await service(request)
    if (method === 'POST' || shop.sent('confirm') === 0) return service(request)
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  })
  const flags = ['--wallet', 'USD', '--max-total', '2000', '--name', 'gifts']
  const { exit, data } = await shop.asks(['batch', 'run', '--product', `GAME-US:25x${count}`, ...flags])
  expect([exit, data.state, data.cardCounts.unknown]).toEqual([6, 'unknown', count])
  expect([shop.sent('create'), shop.sent('confirm')]).toEqual(Array(2).fill(new Set(shop.bought()).size))
})
