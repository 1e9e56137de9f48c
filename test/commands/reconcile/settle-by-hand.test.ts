// reconcile --settle: a person decides what can never be proven. It makes no call, and who decided and why is kept.
import { describe, expect, test } from 'vitest'
import { openWorld, order, overNetwork, respond } from '../../support/world.ts'

const notFound = respond(404, 'Not Found')
const buys = [...order, '--confirm']

/** The response to confirm was lost, and the service has forgotten the order since. */
const forgotten = async (takesEffect: boolean) => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  shop.through(async (request, service) => {
    if (request.method !== 'PUT') return shop.sent('confirm') === 0 ? service(request) : notFound
    if (takesEffect) await service(request)
    throw new Error('connection reset')
  })
  expect((await shop.asks(['confirm', id])).exit).toBe(6)
  shop.clock.pass(60 * 60_000)
  expect((await shop.asks(['reconcile'])).exit).toBe(6)
  expect((await shop.asks(buys)).exit).toBe(11)
  return { shop, id }
}

const settling = (id: string, how: string) => [
  'reconcile',
  id,
  '--settle',
  how,
  '--reason',
  'the invoice of March',
]

describe('an order that the service has forgotten', () => {
  test('not spent: its reference is free, and the decision is kept', async () => {
    const { shop, id } = await forgotten(false)
    const gets = shop.sent('get')
    const { exit, data } = await shop.asks(settling(id, 'not-spent'), {
      env: { ORDERCTL_API_KEY: undefined },
    })
    expect({ exit, data }).toMatchObject({
      exit: 0,
      data: [{ id, was: 'unknown', state: 'not-spent', money: 'unspent' }],
    })
    expect(shop.sent('get')).toBe(gets)
    expect(
      shop.journal("SELECT settled, settled_by AS who, reason FROM calls WHERE operation = 'confirm'"),
    ).toEqual([{ settled: 'no-effect', who: 'tester', reason: 'the invoice of March' }])
    shop.through()
    const again = await shop.asks(buys)
    expect({ exit: again.exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [again.data.uid] })
  })

  test('spent: it stands as confirmed, and its reference stays taken', async () => {
    const { shop, id } = await forgotten(true)
    const { exit, data } = await shop.asks(settling(id, 'spent'))
    expect({ exit, data }).toMatchObject({ exit: 0, data: [{ was: 'unknown', state: 'confirmed' }] })
    expect(
      shop.journal("SELECT settled, settled_by AS who, reason FROM calls WHERE operation = 'confirm'"),
    ).toEqual([{ settled: 'took-effect', who: 'tester', reason: 'the invoice of March' }])
    shop.through()
    expect(await shop.asks(buys)).toMatchObject({ exit: 11, error: { orderId: id } })
    expect(await shop.asks(['confirm', id])).toMatchObject({ exit: 3, error: { orderId: id } })
    expect(shop.bought()).toEqual([id])
  })
})

test('what was settled spent is never confirmed again, whatever the service shows later', async () => {
  const { shop, id } = await forgotten(false)
  expect((await shop.asks(settling(id, 'spent'))).exit).toBe(0)
  // Within its validity the order would be confirmed, if it were sent.
  shop.clock.pass(-60 * 60_000)
  shop.through()
  await shop.must('get', id)
  expect((await shop.asks(['confirm', id])).exit).toBe(3)
  expect((await shop.asks(['confirm', id, '--idempotent'])).exit).toBe(0)
  expect(shop.journal('SELECT state FROM orders')).toEqual([{ state: 'confirmed' }])
  expect({ sent: shop.sent('confirm'), bought: shop.bought() }).toEqual({ sent: 1, bought: [] })
})

test('it is found by its id if no account is selected', async () => {
  const { shop, id } = await forgotten(false)
  const nowhere = { env: { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined } }
  expect((await shop.asks(settling(id, 'not-spent'), nowhere)).exit).toBe(0)
})

test('if no profile points to its account, the error names the address', async () => {
  const { shop, id } = await forgotten(false)
  const elsewhere = { env: { ORDERCTL_BASE_URL: 'https://moved.example' } }
  expect(await shop.asks(settling(id, 'not-spent'), elsewhere)).toMatchObject({
    exit: 3,
    error: { advice: 'Set ORDERCTL_BASE_URL to https://orders.example.' },
  })
  expect((await shop.asks(settling(id, 'not-spent'))).exit).toBe(0)
})

test('what was settled not spent and turns out to be confirmed is shown as confirmed', async () => {
  const { shop, id } = await forgotten(true)
  expect((await shop.asks(settling(id, 'not-spent'))).exit).toBe(0)
  shop.through()
  await shop.must('get', id)
  expect(shop.journal('SELECT state FROM orders')).not.toEqual([{ state: 'expired' }])
  expect((await shop.asks(buys)).exit).toBe(11)
  expect((await shop.asks(['confirm', id])).exit).toBe(3)
  expect(shop.bought()).toEqual([id])
})

describe('is refused, and settles nothing', () => {
  test('if the order is not in the journal', async () => {
    const { shop } = await forgotten(false)
    expect((await shop.asks(settling('nobody', 'spent'))).exit).toBe(2)
    expect(shop.journal("SELECT settled FROM calls WHERE operation = 'confirm'")).toEqual([{ settled: null }])
  })

  test('if there is nothing to settle', async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...buys)
    expect(await shop.asks(settling(id, 'spent'))).toMatchObject({
      exit: 2,
      error: { message: `nothing to settle: the order ${id} is confirmed` },
    })
    const shown = `the order ${id} is confirmed (confirmed), and get has shown it with its reference po-1`
    expect(await shop.asks(settling(id, 'not-spent'))).toMatchObject({
      exit: 2,
      error: { message: `${shown}; nothing was settled` },
    })
    expect(shop.journal('SELECT state FROM orders')).toEqual([{ state: 'confirmed' }])
  })
})
