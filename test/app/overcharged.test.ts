// What was charged counts in a batch. get.session has single orders.
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

test('a worker that stops at it does not report the confirm of another worker as unknown', async () => {
  const shop = await openWorld({ ...overNetwork, realTime: true, processingMs: 0 })
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
  await shop.must('batch', 'plan', '--product', 'GAME-US:25x150', '--wallet', 'USD', '--name', 'gifts')
  const starter = shop.run(['batch', 'run', 'gifts', '--max-total', '50000', '--parallel', '1'])
  await held.promise
  const worker = await shop.asks(['batch', 'run', 'gifts', '--worker', '--parallel', '1'])
  expect(worker).toMatchObject({ exit: 13, data: { stopped: 'charge', cardCounts: { unknown: 0 } } })
  response.resolve()
  expect((await starter).exit).toBe(13)
})
