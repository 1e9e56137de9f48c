// What a service may do that no order expects: give an id again, or bring back an order that had failed.
import { expect, test } from 'vitest'
import { altered, on, openWorld, order, overNetwork, type Relay } from '../support/world.ts'

const again = [...order.slice(0, -1), 'po-2']

const isRepeated = (id: string): string =>
  `the response to create has the id ${id}, but the reference of that order is not po-2; nothing was confirmed`

/** The response to create names an order that is known already. */
const answersAs = (id: string): Relay =>
  on('create', async (request, service) => altered(await service(request), (data) => ({ ...data, id })))

test('a create whose response has the id of a pending order does not end that order, and both are kept', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  shop.through(answersAs(id))
  const { exit, stdout, stderr } = await shop.runIn([...again, '-q'])
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${id}\n` })
  expect(stderr).toContain(
    `warning: the service reused the order id ${id}. In this journal, it belongs to the reference po-1 (created).\n`,
  )
  expect(shop.journal('SELECT reference, order_id AS id, state FROM orders ORDER BY number')).toEqual([
    { reference: 'po-1', id, state: 'created' },
    { reference: 'po-2', id, state: 'created' },
  ])
  // The first still holds its reference.
  expect((await shop.asks(order)).exit).toBe(11)
})

test('with --confirm the order itself has to say that it is the new one; it is not, so nothing is spent', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  shop.through(answersAs(id))
  const { exit, error } = await shop.asks([...again, '--confirm'])
  expect({ exit, error }).toMatchObject({ exit: 5, error: { message: isRepeated(id), orderId: id } })
  expect(shop.sent('confirm')).toBe(0)
  expect(shop.journal('SELECT reference, standing, void_reason FROM orders ORDER BY number')).toEqual([
    { reference: 'po-1', standing: 'pending', void_reason: null },
    { reference: 'po-2', standing: 'void', void_reason: 'stranger' },
  ])
})

test('an order whose id turned out to be of another is no obstacle', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  shop.through(answersAs(id))
  expect((await shop.runIn([...again, '-q'])).exit).toBe(0)
  shop.through()
  const { exit, data } = await shop.asks([...again, '--confirm'])
  expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [data.uid] })
  expect(data).toMatchObject({ uid: expect.not.stringMatching(id), reference: 'po-2' })
})

test('an order whose confirm is unknown, and whose id is of another now, is not released by time', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  shop.through(on('confirm', () => Promise.reject(new Error('connection reset'))))
  expect((await shop.asks(['confirm', id])).exit).toBe(6)
  shop.through(
    on('get', async (request, service) =>
      altered(await service(request), (data) => ({ ...data, reference: 'another' })),
    ),
  )
  for (const _ of 'abc') {
    shop.clock.pass(30 * 60_000)
    expect(await shop.asks(['reconcile'])).toMatchObject({
      exit: 6,
      data: [{ state: 'unknown', problem: expect.stringContaining('its reference is not po-1') }],
    })
  }
  expect((await shop.asks(order)).exit).toBe(11)
})

test.each([
  ['', []],
  [' with --idempotent', ['--idempotent']],
])(
  'the id of a confirmed order is never confirmed again, whatever create responds%s',
  async (_how, flags) => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order, '--confirm')
    shop.through(answersAs(id))
    expect(await shop.asks([...again, '--confirm', ...flags])).toMatchObject({
      exit: 5,
      error: { code: 'unavailable', message: isRepeated(id), orderId: id },
    })
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toEqual([id])
  },
)

const shows = (orderId: string, state: string): Relay =>
  on('get', async (request, service) =>
    altered(await service(request), (data) => (data.uid === orderId ? { ...data, state } : data)),
  )

test('an order that was seen failed keeps its reference, whatever it turns into', async () => {
  const shop = await openWorld(overNetwork)
  const buys = [...order, '--confirm']
  const id = await shop.id(...buys)
  for (const state of ['failed', 'confirmed', 'successful', 'failed']) {
    shop.through(shows(id, state))
    await shop.runIn(['get', id])
    expect(await shop.asks(buys)).toMatchObject({ exit: 11, error: { orderId: id } })
  }
  expect(shop.journal('SELECT service_state, result FROM orders')).toEqual([
    { service_state: 'failed', result: 'successful' },
  ])
  expect(shop.bought()).toEqual([id])
})

test('a failed order is ordered again with the suffix -again', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order, '--confirm')
  shop.through(shows(id, 'failed'))
  await shop.runIn(['get', id])
  const { error } = await shop.asks(order)
  expect(error).toMatchObject({
    message: `the reference po-1 is already used by the order ${id} (failed); nothing was sent`,
    fix: `orderctl get ${id}`,
    advice: `The order already charged 25 USD. Order its products again only after the refund: orderctl create --again ${id}`,
  })
  expect((await shop.runIn(['create', '--again', id, '--confirm'])).exit).toBe(0)
  expect(shop.bought()).toHaveLength(2)
})
