// A confirm that is held on its way may take effect later than anybody expects: nothing is called safe before it is.
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/contract/transport.ts'
import { never, on, openWorld, order, overNetwork, type World } from '../../support/world.ts'

const second = 1_000
const minute = 60 * second
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
  const { state, isUnproven, safeFrom, next } = data[0]
  return { exit, state, isUnproven, safeFrom, next }
}

describe('a confirm that is held upstream, its process killed', () => {
  test('is unknown after 17 s; when it takes effect at last, that is seen, and nothing is bought twice', async () => {
    const { shop, id, deliver } = await held()
    shop.clock.pass(17 * second)
    expect(await reconciled(shop)).toEqual({
      exit: 6,
      state: 'unknown',
      isUnproven: true,
      safeFrom: '2026-03-01T12:12:00Z',
      next: `Do not order again. Check again in 11 min: orderctl reconcile ${id}`,
    })
    const screen = await shop.runIn(['reconcile'])
    expect(screen.stdout).not.toMatch(/spends nothing|nothing was spent/i)
    expect((await shop.asks(buys)).error).toMatchObject({
      code: 'duplicate',
      orderId: id,
      safeFrom: '2026-03-01T12:12:00Z',
    })
    expect((await shop.asks(['confirm', id])).exit).toBe(6)
    await deliver()
    expect(await reconciled(shop)).toMatchObject({ exit: 0, state: 'confirmed', isUnproven: false })
    expect((await shop.asks(buys)).exit).toBe(11)
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toEqual([id])
  })

  test.each([
    ['at the end of its validity', 9.9 * minute],
    ['a minute later than that', 10.9 * minute],
  ])('is not called safe %s', async (_when, ms) => {
    const { shop } = await held()
    shop.clock.pass(ms)
    expect(await reconciled(shop)).toMatchObject({ exit: 6, state: 'unknown', isUnproven: true })
    expect((await shop.asks(buys)).exit).toBe(11)
    expect(shop.sent('create')).toBe(1)
  })

  test('is not called safe by two looks of which one came too early', async () => {
    const { shop } = await held()
    shop.clock.pass(10.1 * minute)
    expect(await reconciled(shop)).toMatchObject({ exit: 6, state: 'unknown' })
    shop.clock.pass(1.1 * minute)
    expect(await reconciled(shop)).toMatchObject({ exit: 6, state: 'unknown' })
  })

  test('needs two looks, and a minute between them, by the clock of the service', async () => {
    const { shop } = await held()
    shop.clock.pass(20 * minute)
    expect(await reconciled(shop)).toMatchObject({ exit: 6, state: 'unknown' })
    expect(await reconciled(shop)).toMatchObject({ exit: 6, state: 'unknown' })
    shop.clock.pass(59 * second)
    expect(await reconciled(shop)).toMatchObject({ exit: 6, state: 'unknown' })
    shop.clock.pass(2 * second)
    expect(await reconciled(shop)).toMatchObject({ exit: 0, state: 'expired', isUnproven: false })
    shop.through()
    const { exit, data } = await shop.asks(buys)
    expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [data.uid] })
  })

  test('is not proven by answers that fail', async () => {
    const { shop } = await held()
    shop.clock.pass(20 * minute)
    shop.through(on('get', async () => ({ status: 502, headers: {}, body: 'Bad Gateway' })))
    for (const _ of 'abc') {
      const { exit, data } = await shop.asks(['reconcile'])
      expect({ exit, state: data[0].state, problem: data[0].problem }).toEqual({
        exit: 6,
        state: 'unknown',
        problem: expect.stringContaining('502'),
      })
      shop.clock.pass(2 * minute)
    }
    expect((await shop.asks(buys)).exit).toBe(11)
  })
})
