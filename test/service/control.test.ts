// The routes under /_mock/, except those of faults.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { createOpenApiDocument } from '../../src/contract/openapi/openapi.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { checkCatalogue } from '../../src/service/catalogue-file.ts'
import { line, openService, secretsOf, startTime, ways } from '../support/embedded.ts'

type Service = Awaited<ReturnType<typeof openService>>

const toIso = (ms: number): string => new Date(startTime + ms).toISOString()

const force = (service: Service, orderId: string, outcome: string) =>
  service.mock('POST', '/outcome', { orderId, outcome })

/** Buys cards of both redeem shapes, and returns their secrets. */
const buy = async (service: Service) => {
  const id = await service.confirmed([line('GAME-DE', { quantity: 2 }), 'COFFEE-US', 'MUSIC-KW'])
  service.clock.advance(2_000)
  return secretsOf((await service.get(id)).data.redeem)
}

describe.each(ways)('the control routes %s', (_name, way) => {
  test('list themselves, and every listed route exists', async () => {
    await using service = await openService({ way })
    const { data } = await service.mock('GET', '/')
    const missing: unknown[] = []
    for (const { method, path } of data) {
      const { status } = await service.json(method, path, method === 'POST' ? {} : undefined)
      if (status !== 200 && status !== 400 && path !== '/_mock/redeliver') missing.push([path, status])
    }
    expect(missing).toEqual([])
    const paths = data.map(({ path }: { path: string }) => path)
    for (const path of ['/state', '/reset', '/clock', '/outcome', '/requests', '/deliveries', '/faults'])
      expect(paths).toContain(`/_mock${path}`)
  })

  test('show the catalogue in the format of a catalogue file', async () => {
    await using service = await openService({ way })
    const { text } = await service.mock('GET', '/catalogue')
    expect(checkCatalogue(readJson(text))).toEqual({ catalogue: builtInCatalogue() })
  })

  test('show wallets, stock and orders', async () => {
    await using service = await openService({ way })
    await service.created(['BOOK-FR'], { wallet: 'EUR', reference: 'first' })
    service.clock.advance(1_000)
    const id = await service.confirmed(['BOOK-FR', line('RIDE-JP', { quantity: 2 })], { wallet: 'EUR' })
    service.clock.advance(2_000)
    const { data } = await service.mock('GET', '/state?limit=1')
    expect(data).toMatchObject({ now: toIso(3_000), clockOffsetMs: 0, seed: 'test' })
    expect(data.wallets).toEqual([
      { currency: 'AUD', opening: 10, balance: 10 },
      { currency: 'EUR', opening: 1_000_000, balance: 999_981.23 },
      { currency: 'GBP', opening: 1_000_000, balance: 1_000_000 },
      { currency: 'JPY', opening: 150_000_000, balance: 150_000_000 },
      { currency: 'USD', opening: 1_000_000, balance: 1_000_000 },
    ])
    expect(data.stock).toContainEqual({ sku: 'BOOK-FR', remaining: 11 })
    const whole = {
      number: 2,
      id,
      reference: 'a reference',
      state: 'successful',
      wallet: 'EUR',
      total: 18.77,
      products: [
        { sku: 'BOOK-FR', quantity: 1, quote: '12.5' },
        { sku: 'RIDE-JP', quantity: 2, quote: '500' },
      ],
      createdAt: toIso(1_000),
      expiresAt: toIso(601_000),
      confirmedAt: toIso(1_000),
      finalAt: toIso(3_000),
      forcedOutcome: null,
    }
    expect(data.orders).toEqual([whole])
    const older = await service.mock('GET', '/state?before=2')
    expect(older.data.orders).toEqual([
      expect.objectContaining({ number: 1, reference: 'first', state: 'created', confirmedAt: null }),
    ])
  })

  test.each([
    ['GET', '/state?limit=0', undefined, 'limit must be a whole number from 1 to 1000'],
    ['GET', '/state?limit=1001', undefined, 'limit must be a whole number from 1 to 1000'],
    ['GET', '/requests?limit=1.5', undefined, 'limit must be a whole number from 1 to 1000'],
    ['GET', '/deliveries?limit=x', undefined, 'limit must be a whole number from 1 to 1000'],
    ['GET', '/state?before=x', undefined, 'before must be an order number, such as ?before=12'],
    ['POST', '/clock', { advance: '-1s' }, /^advance must be a duration/],
    ['POST', '/clock', {}, /^advance must be a duration/],
    ['POST', '/clock', { advance: '99999999999d' }, /^advance must be a duration/],
    [
      'POST',
      '/clock',
      { advance: '100000000d' },
      'the clock cannot go past the year 9999; advance it by less',
    ],
    ['POST', '/outcome', { outcome: 'lost' }, 'outcome must be one of successful, partial, failed, rejected'],
    ['POST', '/outcome', [], 'outcome must be one of successful, partial, failed, rejected'],
  ])('refuse %s %s with the body %j', async (method, path, body, message) => {
    await using service = await openService({ way })
    const reply = await service.mock(method, path, body)
    expect(reply).toMatchObject({
      status: 400,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
    expect((await service.mock('GET', '/state')).data.now).toBe(toIso(0))
  })

  test('set the outcome of an order before its confirmation', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    await force(service, id, 'rejected')
    await force(service, id, 'failed')
    expect(await service.state(id)).toBe('created')
    await service.confirm(id)
    expect(await service.state(id)).toBe('confirmed')
    service.clock.advance(2_000)
    expect([await service.state(id), await service.balance('USD')]).toEqual(['failed', 1_000_000])
  })

  test('refuse an outcome for an unknown order, and partial for an order with one SKU', async () => {
    await using service = await openService({ way })
    const single = await force(service, await service.confirmed(['GAME-US']), 'partial')
    expect([single.status, single.message]).toEqual([
      409,
      'An order with one SKU cannot be partial. Order two SKUs or more.',
    ])
    const ended = await service.confirmed(['GAME-US'])
    expect(await force(service, ended, 'successful')).toMatchObject({ data: { state: 'successful' } })
    expect(await force(service, ended, 'failed')).toMatchObject({ status: 409 })
    expect(await force(service, 'ord_1', 'failed')).toMatchObject({
      status: 404,
      message: 'No order has this id. List the orders: GET /_mock/state',
    })
  })

  test('advance the clock for the states and the expiry of orders', async () => {
    await using service = await openService({ way })
    const [confirmed, pending] = [await service.confirmed(['TEST-SLOW']), await service.created(['GAME-US'])]
    const advanced = await service.mock('POST', '/clock', { advance: '1m' })
    expect(advanced.data).toEqual({ now: toIso(60_000), clockOffsetMs: 60_000 })
    expect(await service.state(confirmed)).toBe('successful')
    await service.mock('POST', '/clock', { advance: '9m' })
    expect(await service.confirm(pending)).toMatchObject({ status: 419 })
  })

  test('reset the service so that the same orders get the same codes, unlike with a different seed', async () => {
    await using service = await openService({ way })
    await using other = await openService({ way, seed: 'other' })
    const [first, again] = [await buy(service), await buy(service)]
    await service.mock('POST', '/clock', { advance: '1h' })
    await service.mock('POST', '/faults', { fault: 'any:html' })
    expect(await service.mock('POST', '/reset')).toMatchObject({ status: 200 })
    expect(await buy(service)).toEqual(first)
    expect(await buy(service)).toEqual(again)
    expect(new Set([...first, ...again, ...(await buy(other))]).size).toBe(3 * first.length)
  })

  test('reset all state, and the clock goes on', async () => {
    await using service = await openService({ way })
    await service.confirmed(['GAME-BR'])
    await service.mock('POST', '/clock', { advance: '1h' })
    await service.mock('GET', '/state')
    await service.mock('POST', '/reset')
    const requests = await service.mock('GET', '/requests')
    expect(requests.data).toMatchObject([{ path: '/_mock/reset' }])
    const { data } = await service.mock('GET', '/state')
    expect([data.now, data.clockOffsetMs, data.orders]).toEqual([toIso(0), 0, []])
    expect([await service.remaining('GAME-BR'), await service.balance('USD')]).toEqual([3, 1_000_000])
    const id = await service.confirmed(['GAME-US'])
    service.clock.advance(2_000)
    expect(await service.state(id)).toBe('successful')
  })

  test('list deliveries, and send one again', async () => {
    await using service = await openService({ way })
    const url = 'http://127.0.0.1:1/hook'
    const orderId = await service.confirmed(['GAME-US'], { webhookUrl: url })
    service.clock.advance(2_000)
    await service.state(orderId)
    const pending = { orderId, url, state: 'pending', attempts: [], id: expect.stringMatching(/^msg_/) }
    const { data } = await service.mock('GET', '/deliveries')
    expect(data).toEqual([
      { ...pending, event: 'final' },
      { ...pending, event: 'confirmed' },
    ])
    const again = await service.mock('POST', '/redeliver', { deliveryId: data[0].id })
    expect([again.status, again.data]).toEqual([200, { id: data[0].id, state: 'pending' }])
    expect(await service.mock('POST', '/redeliver', {})).toMatchObject({
      status: 404,
      message: 'No delivery has this id. List the deliveries: GET /_mock/deliveries',
    })
  })

  test('give the OpenAPI document without a key', async () => {
    await using service = await openService({ way })
    const { status, text } = await service.raw('GET', '/openapi.json')
    expect([status, JSON.parse(text)]).toEqual([200, createOpenApiDocument(startTime)])
  })
})

test('finish all orders that the advanced clock makes due, more than one transaction finishes', async () => {
  await using service = await openService()
  for (let count = 0; count < 310; count += 1) await service.confirmed(['TEST-FAIL'])
  await service.mock('POST', '/clock', { advance: '1m' })
  expect(await service.balance('USD')).toBe(1_000_000)
})
