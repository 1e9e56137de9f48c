// A create without a usable response spends nothing: it is run again, and one order is bought.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { altered, never, on, openWorld, order, overNetwork, type World } from '../../support/world.ts'

const minute = 60_000
const buys = [...order, '--confirm']

/** As only damage can: without the check of the column. */
const damageOutcome = ({ home }: World): void => {
  using database = new DatabaseSync(path.join(home, 'state', 'journal.db'))
  database.exec(`PRAGMA ignore_check_constraints = ON; UPDATE calls SET outcome = 'dome'`)
}

const lost = on('create', async (request, service) => {
  await service(request)
  throw new Error('connection reset')
})

test('a create whose response is lost is exit 5; run again, it buys once', async () => {
  const shop = await openWorld(overNetwork)
  shop.through(lost)
  const { exit, error } = await shop.asks(buys)
  expect({ exit, error }).toEqual({
    exit: 5,
    error: {
      code: 'unavailable',
      message: 'create gave no usable response: connection reset. It was not confirmed',
      advice: 'Run the command again. If an order was created, it expires unconfirmed and costs nothing.',
      retryable: true,
    },
  })
  expect((await shop.asks(buys)).exit).toBe(5)
  shop.through()
  const { exit: done, data } = await shop.asks(buys)
  expect(done).toBe(0)
  expect(shop.sent('create')).toBe(3)
  expect(shop.bought()).toEqual([data.uid])
  expect((await shop.asks(buys)).exit).toBe(11)
  expect(shop.journal('SELECT state FROM orders ORDER BY number')).toEqual([
    { state: 'lost' },
    { state: 'lost' },
    { state: 'confirmed' },
  ])
  expect((await shop.asks(['reconcile'])).exit).toBe(0)
})

test('a create that was killed keeps its reference for a minute, for it may get a response yet; then it is free', async () => {
  const shop = await openWorld(overNetwork)
  shop.through(on('create', never))
  void shop.runIn(buys)
  while (shop.sent('create') === 0) await new Promise(setImmediate)
  shop.through()
  expect(await shop.asks(buys)).toMatchObject({
    exit: 11,
    error: {
      code: 'duplicate',
      message: 'another process is creating an order with the reference po-1 now; nothing was sent',
      advice: 'Run the command again in a minute.',
      retryable: true,
    },
  })
  shop.clock.pass(minute + 1)
  expect((await shop.asks(buys)).exit).toBe(0)
  expect(shop.bought()).toHaveLength(1)
})

test('a create whose outcome is damaged in the journal is not in flight: its reference is free', async () => {
  const shop = await openWorld(overNetwork)
  shop.through(on('create', never))
  void shop.runIn(buys)
  while (shop.sent('create') === 0) await new Promise(setImmediate)
  shop.through()
  damageOutcome(shop)
  const { exit, data } = await shop.asks(buys)
  expect([exit, shop.sent('create'), shop.bought()]).toEqual([0, 2, [data.uid]])
  expect(shop.journal('SELECT state FROM orders ORDER BY number')).toEqual([
    { state: 'lost' },
    { state: 'confirmed' },
  ])
})

test('two creates of one reference, the first gets its response last: it finds the purchase made, and is not confirmed', async () => {
  const shop = await openWorld(overNetwork)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  shop.through(
    on('create', async (request, service) => {
      await released
      return service(request)
    }),
  )
  const slow = shop.asks([...buys, '--timeout', '10m'])
  while (shop.sent('create') === 0) await new Promise(setImmediate)
  shop.clock.pass(minute + 1)
  shop.through()
  const { exit, data } = await shop.asks(buys)
  expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [data.uid] })
  release()
  const late = await slow
  const { orderId } = late.error
  expect(late).toMatchObject({
    exit: 11,
    error: {
      code: 'duplicate',
      message: `the reference po-1 is already used by the order ${data.uid} (confirmed); the order ${orderId} was not confirmed`,
      fix: `orderctl get ${data.uid}`,
      advice: 'To pay for both orders, use confirm with --allow-duplicate.',
    },
  })
  expect(orderId).not.toBe(data.uid)
  expect(shop.sent('confirm')).toBe(1)
  expect(shop.bought()).toEqual([data.uid])
})

describe('a response to create with an id but an unexpected invoice', () => {
  test.each([
    ['none', (data: object) => ({ ...data, invoice: null })],
    // biome-ignore lint/suspicious/noExplicitAny: a test changes any field of a response.
    ['in another wallet', (data: any) => ({ ...data, invoice: { ...data.invoice, wallet: 'EUR' } })],
  ])('%s: it says that the order was created, keeps it, and does not confirm it', async (_what, change) => {
    const shop = await openWorld(overNetwork)
    shop.through(on('create', async (request, service) => altered(await service(request), change)))
    const { exit, error } = await shop.asks([...buys, '--watch'])
    const [row] = shop.journal('SELECT order_id AS id, state, reference FROM orders')
    const id = String(row?.id)
    expect({ exit, error, row }).toEqual({
      exit: 5,
      error: {
        code: 'unavailable',
        message: expect.stringMatching(
          `^created ${id}, but the response was not as documented: .*\\. This run did not confirm it$`,
        ),
        status: 200,
        orderId: id,
        fix: `orderctl get ${id}`,
        retryable: false,
      },
      row: { id, state: 'created', reference: 'po-1' },
    })
    expect(shop.sent('confirm')).toBe(0)
    shop.through()
    // It holds its reference, and can be confirmed.
    expect(await shop.asks(buys)).toMatchObject({ exit: 11, error: { orderId: id } })
    expect((await shop.asks(['confirm', id])).exit).toBe(0)
    expect(shop.bought()).toEqual([id])
  })
})

test.each(['@last', 'ref:po-0', 'batch:gifts', ' 1001'])(
  'an id that orderctl would read as another order (%s) is not confirmed, and no order has it',
  async (id) => {
    const shop = await openWorld(overNetwork)
    const first = await shop.id(...order.with(6, 'po-0'))
    for (const isWhole of [true, false]) {
      const response = (data: object) => (isWhole ? { ...data, id } : { id })
      shop.through(on('create', async (request, service) => altered(await service(request), response)))
      expect(await shop.asks(buys)).toMatchObject({ exit: 5, error: { retryable: true } })
    }
    expect(shop.journal('SELECT DISTINCT state, order_id AS id FROM orders')).toEqual([
      { state: 'created', id: first },
      { state: 'lost', id: null },
    ])
    expect(shop.sent('confirm')).toBe(0)
  },
)
