// A confirm that is held on its way may take effect later than anybody expects: nothing is called safe before it is.
import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/contract/transport.ts'
import { never, on, openWorld, order, overNetwork, type World } from '../../support/world.ts'

const buys = [...order, '--confirm']

/** The confirm was sent and is held; the process is gone. */
const held = async () => {
  const shop = await openWorld(overNetwork)
  const copies: HttpRequest[] = []
  shop.through(
    on('confirm', (request) => {
      copies.push(request)
      return never()
    }),
  )
  const id = await shop.id(...order)
  void shop.runIn(['confirm', id])
  while (copies.length === 0) await new Promise(setImmediate)
  const deliver = async (): Promise<void> => {
    for (const { signal: _, ...copy } of copies.splice(0)) await shop.service(copy)
  }
  return { shop, id, deliver }
}

const reconciled = async (shop: World) => {
  const { exit, data } = await shop.asks(['reconcile', '@last'])
  const { state, money, safeFrom, next, advice } = data[0]
  return { exit, state, money, safeFrom, next, advice }
}

test('a held confirm is unknown after 17 s; when it takes effect at last, that is seen, and nothing is bought twice', async () => {
  const { shop, id, deliver } = await held()
  shop.clock.pass(17_000)
  expect(await reconciled(shop)).toEqual({
    exit: 6,
    state: 'unknown',
    money: 'maybe',
    safeFrom: '2026-03-01T12:12:00Z',
    next: null,
    advice: 'Do not order again. From 2026-03-01T12:12:00Z, reconcile can check whether money was spent.',
  })
  const screen = await shop.runIn(['reconcile'])
  expect(screen.stdout).not.toMatch(/spends nothing|, nothing was spent/i)
  expect((await shop.asks(buys)).error).toMatchObject({
    code: 'duplicate',
    orderId: id,
    safeFrom: '2026-03-01T12:12:00Z',
  })
  expect((await shop.asks(['confirm', id])).exit).toBe(6)
  await deliver()
  expect(await reconciled(shop)).toMatchObject({ exit: 0, state: 'confirmed', money: 'spent' })
  expect((await shop.asks(buys)).exit).toBe(11)
  expect(shop.sent('confirm')).toBe(1)
  expect(shop.bought()).toEqual([id])
})
