// create --idempotent after a confirm that was lost or refused: what became of it is found out first.
import { expect, test } from 'vitest'
import { never, on, openWorld, order, overNetwork, respond } from '../../support/world.ts'

const minute = 60_000
const job = [...order, '--idempotent', '--confirm', '--watch']

const killed = async (takesEffect: boolean) => {
  const shop = await openWorld(overNetwork)
  shop.through(
    on('confirm', async (request, service) => {
      if (takesEffect) await service(request)
      return never()
    }),
  )
  void shop.runIn(job)
  const isDone = () => shop.sent('confirm') > 0 && (!takesEffect || shop.bought().length > 0)
  while (!isDone()) await new Promise(setImmediate)
  shop.through()
  return shop
}

test('it took effect: it is watched to its end', async () => {
  const shop = await killed(true)
  const [id] = shop.bought()
  expect(await shop.asks(job)).toMatchObject({ exit: 0, data: { uid: id, state: 'successful' } })
  expect(shop.bought()).toEqual([id])
  expect(shop.sent('confirm')).toBe(1)
})

test('it was refused: it is confirmed again, as long as it is valid', async () => {
  const shop = await openWorld(overNetwork)
  shop.through(on('confirm', async () => respond(400, 'You have insufficient funds in your wallet')))
  const { exit, error } = await shop.asks(job)
  expect(exit).toBe(3)
  shop.through()
  expect(await shop.asks(job)).toMatchObject({
    exit: 0,
    data: { uid: error.orderId, state: 'successful' },
  })
  expect(shop.bought()).toEqual([error.orderId])
})

test('it was refused, and has expired since: exit 10, until it is proven to have spent nothing', async () => {
  const shop = await openWorld(overNetwork)
  shop.through(on('confirm', async () => respond(419, 'Expired')))
  expect((await shop.asks(job)).exit).toBe(10)
  shop.through()
  shop.clock.pass(12 * minute)
  const early = await shop.asks(job)
  expect(early).toMatchObject({ exit: 10, error: { code: 'expired', safeFrom: '2026-03-01T12:13:00Z' } })
  shop.clock.pass(minute)
  const { exit, data } = await shop.asks(job)
  expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [data.uid] })
})

test('it stays unknown: exit 6, until it is proven to have spent nothing; then it is placed anew', async () => {
  const shop = await killed(false)
  const { exit, error } = await shop.asks(job)
  expect({ exit, error }).toMatchObject({
    exit: 6,
    error: { code: 'unknown', fix: `orderctl reconcile ${error.orderId}` },
  })
  shop.clock.pass(12 * minute)
  expect((await shop.asks(job)).exit).toBe(6)
  shop.clock.pass(minute)
  const { exit: done, data } = await shop.asks(job)
  expect({ done, bought: shop.bought(), creates: shop.sent('create') }).toEqual({
    done: 0,
    bought: [data.uid],
    creates: 2,
  })
})
