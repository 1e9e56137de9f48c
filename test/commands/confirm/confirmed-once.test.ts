// An order that was confirmed stays confirmed for orderctl, whatever the service shows of it later: nothing is sent.
import { describe, expect, test } from 'vitest'
import { altered, on, openWorld, order, overNetwork } from '../../support/world.ts'

const shows = (state: string) =>
  on('get', async (request, service) => altered(await service(request), (data) => ({ ...data, state })))

describe.each(['on_hold', 'created', 'expired', 'Refused', 'not-sent', 'creating', 'void'])(
  'a confirmed order that get shows as %s',
  (state) => {
    const confirmed = async () => {
      const shop = await openWorld(overNetwork)
      const id = await shop.id(...order, '--confirm')
      shop.through(shows(state))
      return { shop, id }
    }

    test('is not confirmed again, and the journal keeps its one row', async () => {
      const { shop, id } = await confirmed()
      const gets = shop.sent('get')
      const { exit, error } = await shop.asks(['confirm', id])
      expect({ exit, error }).toEqual({
        exit: 3,
        error: {
          code: 'refused',
          message: `the order ${id} is already confirmed (confirmed)`,
          orderId: id,
          fix: `orderctl get ${id}`,
          advice: 'To succeed in this case, use --idempotent.',
          retryable: false,
        },
      })
      // What is known is not asked for.
      expect(shop.sent('get')).toBe(gets)
      expect(shop.sent('confirm')).toBe(1)
      expect(shop.bought()).toEqual([id])
      expect(shop.journal('SELECT order_id AS id, state FROM orders')).toEqual([{ id, state: 'confirmed' }])
    })

    test('is found by its reference, and --idempotent succeeds', async () => {
      const { shop, id } = await confirmed()
      await shop.runIn(['get', id])
      const ran = await shop.runIn(['confirm', 'ref:po-1', '--idempotent', '-q'])
      expect(ran).toMatchObject({ exit: 0, stdout: `${id}\n` })
      expect(ran.stderr).toBe('')
      expect((await shop.runIn(['reconcile'])).exit).toBe(0)
      // Whatever the service calls it, it stays confirmed.
      expect(shop.journal('SELECT order_id AS id, state, confirmed_at > 0 AS confirmed FROM orders')).toEqual(
        [{ id, state: 'confirmed', confirmed: 1 }],
      )
      expect(shop.sent('confirm')).toBe(1)
      expect((await shop.asks(order)).exit).toBe(11)
    })
  },
)

test('two at once confirm it once: the second read the order before the first had confirmed it', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
  shop.through(
    on('get', async (request, service) => {
      const response = await service(request)
      isRead()
      await released
      return response
    }),
  )
  const late = shop.asks(['confirm', id])
  await read
  shop.through()
  expect((await shop.asks(['confirm', id])).exit).toBe(0)
  release()
  expect(await late).toMatchObject({
    exit: 3,
    error: { message: `the order ${id} is already confirmed (confirmed)`, orderId: id },
  })
  expect(shop.sent('confirm')).toBe(1)
  expect(shop.bought()).toEqual([id])
})

test('an order that nobody placed from here is in the journal once, however often it is confirmed', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.calls.created(['GAME-US'], { reference: 'theirs' })
  expect((await shop.asks(['confirm', id])).exit).toBe(0)
  shop.through(shows('created'))
  expect((await shop.asks(['confirm', id])).exit).toBe(3)
  expect((await shop.asks(['confirm', id, '--idempotent'])).exit).toBe(0)
  expect(shop.sent('confirm')).toBe(1)
  expect(shop.journal('SELECT order_id AS id FROM orders')).toEqual([{ id }])
})
