// What was charged counts in a batch. get.session has single orders.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { altered, on, openWorld, overNetwork, type Relay } from '../support/world.ts'

/** Doubles the invoice of the first order that is confirmed, or multiplies it, or gives it another currency. */
const charging = (factor: number, more = {}): Relay => {
  let dearer: string | undefined
  return on('get', async (request, service) =>
    altered(await service(request), (data) => {
      if (data.state === 'created') return data
      dearer ??= data.uid
      if (data.uid !== dearer) return data
      return { ...data, invoice: { ...data.invoice, total: data.invoice.total * factor, ...more } }
    }),
  )
}

const inEuro = { wallet: 'EUR' }

test('a batch stops once, with 13, and goes on when it is run again', async () => {
  const shop = await openWorld(overNetwork)
  writeFileSync(path.join(shop.home, 'gifts.csv'), 'sku,quote,quantity\nGAME-US,25,15\n')
  shop.through(charging(2))
  const flags = ['--wallet', 'USD', '--parallel', '1', '--max-total', '500']
  const stopped = await shop.asks(['batch', 'run', 'gifts.csv', ...flags])
  expect(stopped).toMatchObject({
    exit: 13,
    data: { stopped: 'charge', spent: 250 },
    error: {
      code: 'stopped',
      advice: expect.stringContaining('Check the orders, then continue: orderctl batch run gifts'),
    },
  })
  expect(shop.bought()).toHaveLength(1)
  const shown = await shop.must('batch', 'show', 'gifts')
  expect(shown).toContain('stopped, an order was charged more than its total, or')
  const continued = await shop.asks(['batch', 'run', 'gifts'])
  expect(continued).toMatchObject({ exit: 0, data: { stopped: null, spent: 500, state: 'successful' } })
  expect(shop.bought()).toHaveLength(3)
})

test('a batch whose charges reach the cap buys no more', async () => {
  const shop = await openWorld(overNetwork)
  writeFileSync(path.join(shop.home, 'gifts.csv'), 'sku,quote,quantity\nGAME-US,25,15\n')
  shop.through(charging(3))
  const flags = ['--wallet', 'USD', '--parallel', '1', '--max-total', '400']
  expect((await shop.asks(['batch', 'run', 'gifts.csv', ...flags])).exit).toBe(13)
  const again = await shop.asks(['batch', 'run', 'gifts'])
  expect(again).toMatchObject({ exit: 13, data: { stopped: 'cap', spent: 375 } })
  expect(shop.bought()).toHaveLength(1)
})

test('a worker that stops at it does not report the confirm of another worker as unknown', async () => {
  const shop = await openWorld({ ...overNetwork, realTime: true })
  const charge = charging(2)
  const [held, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  shop.through(async (request, service) => {
    if (request.method === 'PUT' && shop.sent('confirm') === 1) {
      held.resolve()
      await response.promise
    }
    return charge(request, service)
  })
  // So many orders that none of both runs can buy the rest before it notices.
  await shop.must('batch', 'plan', '--product', 'GAME-US:25x500', '--wallet', 'USD', '--name', 'gifts')
  const starter = shop.run(['batch', 'run', 'gifts', '--max-total', '50000', '--parallel', '1'])
  await held.promise
  const worker = await shop.asks(['batch', 'run', 'gifts', '--worker', '--parallel', '1'])
  expect(worker).toMatchObject({ exit: 13, data: { stopped: 'charge', cards: { unknown: 0 } } })
  response.resolve()
  expect((await starter).exit).toBe(13)
})

test('a batch stops once at an invoice in another currency', async () => {
  const shop = await openWorld(overNetwork)
  writeFileSync(path.join(shop.home, 'gifts.csv'), 'sku,quote,quantity\nGAME-US,25,15\n')
  shop.through(charging(1, inEuro))
  const flags = ['--wallet', 'USD', '--parallel', '1', '--max-total', '500']
  const stopped = await shop.asks(['batch', 'run', 'gifts.csv', ...flags])
  expect(stopped).toMatchObject({ exit: 13, data: { stopped: 'charge', spent: 125 } })
  expect(await shop.asks(['batch', 'run', 'gifts'])).toMatchObject({ exit: 0, data: { spent: 375 } })
})
