// Paths, methods, credentials and request bodies.
import { describe, expect, test } from 'vitest'
import { refusals } from '../../src/contract/refusals.ts'
import { apiKey, catalogueOf, line, openService, orderOf, ways } from '../support/embedded.ts'

const proto = '__proto__'
const createHostileCatalogue = () =>
  catalogueOf({
    products: [
      { sku: proto, name: 'Proto', country: 'US', productType: 'fixed', currency: 'USD', quote: 1 },
      { sku: 'constructor', name: 'C', country: 'US', productType: 'fixed', currency: 'USD', quote: 2 },
    ],
    wallets: [{ currency: 'USD', balance: 100 }],
  })

const wrongType = 'Content-Type must be application/json'
const bearer = { authorization: `Bearer ${apiKey}` }
const json = { 'content-type': 'application/json' }
const operations = [
  ['POST', '/order/create', JSON.stringify(orderOf(['GAME-US']))],
  ['PUT', '/order/confirm', '{"orderId":"ord_1"}'],
  ['GET', '/order/get?orderId=ord_1', undefined],
  ['GET', '/_mock/state', undefined],
] as const

describe.each(ways)('HTTP handling %s', (_name, way) => {
  test.each(operations)('requires the key for %s %s', async (method, path, content) => {
    await using service = await openService({ way })
    const findRefusal = async (headers: Record<string, string>) => {
      const more = content === undefined ? { headers } : { headers: { ...json, ...headers }, body: content }
      const { status, message } = await service.raw(method, path, more)
      return status === 403 ? message : 'accepted'
    }
    const { message } = refusals.credentials
    const wrong: Record<string, string>[] = [
      {},
      { authorization: apiKey },
      { authorization: `Bearer ${apiKey}x` },
      { authorization: `Bearer ${apiKey.slice(1)}` },
      { authorization: `Basic ${apiKey}` },
      { authorization: 'Bearer ' },
      { 'x-api-key': '' },
      { 'x-api-key': apiKey.toUpperCase() },
      { 'x-api-key': `${apiKey}, ${apiKey}` },
    ]
    for (const headers of wrong) expect([headers, await findRefusal(headers)]).toEqual([headers, message])
    for (const headers of [bearer, { authorization: `bearer ${apiKey}` }, { 'x-api-key': apiKey }]) {
      expect(await findRefusal(headers)).toBe('accepted')
    }
  })

  test('requires no key if none is configured', async () => {
    await using service = await openService({ way, apiKey: undefined })
    expect(await service.raw('GET', '/_mock/state')).toMatchObject({ status: 200 })
  })

  test.each<[string, object | string, number, string]>([
    ['no content type', { 'content-type': '' }, 415, wrongType],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415, wrongType],
    [
      'a content type that only starts with application/json',
      { 'content-type': 'application/jsonp' },
      415,
      wrongType,
    ],
    ['no body', '', 400, 'The request body is not valid JSON: expected a value at the end'],
    [
      'a duplicate key',
      '{"a":1,"a":2}',
      400,
      'The request body contains the key "a" twice in one object, at line 1, column 8',
    ],
    ['33 levels', '['.repeat(33), 400, 'The request body is nested deeper than 32 levels'],
    ['65,537 bytes', `"${'ß'.repeat(32_768)}"`, 413, 'The request body is larger than 65536 bytes.'],
  ])('refuses %s', async (_name, given, status, message) => {
    await using service = await openService({ way })
    const content = typeof given === 'string' ? given : '{}'
    const headers = { ...json, ...bearer, ...(typeof given === 'string' ? {} : given) }
    for (const [method, path] of [
      ['POST', '/order/create'],
      ['PUT', '/order/confirm'],
    ] as const) {
      const reply = await service.raw(method, path, { headers, body: content })
      expect([reply.status, reply.message]).toEqual([status, message])
    }
  })

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;charset=utf-8'])(
    'accepts the content type %s',
    async (type) => {
      await using service = await openService({ way })
      const headers = { ...bearer, 'content-type': type }
      const { status } = await service.raw('PUT', '/order/confirm', { headers, body: '{"orderId":"a"}' })
      expect(status).toBe(404)
    },
  )

  test.each([
    ['GET', '/'],
    ['GET', '/order/get/'],
    ['GET', '//order/get'],
    ['GET', '/Order/get'],
    ['GET', '/order/../order/get'],
    ['GET', '/order/%67et'],
    ['GET', '/order/get;a=1'],
    ['GET', '/_mock'],
    ['GET', '/__proto__'],
  ])('responds with 404 for %s %s', async (method, path) => {
    await using service = await openService({ way })
    expect(await service.json(method, path)).toMatchObject({ status: 404, message: 'Not Found' })
  })

  test.each([
    ['GET', '/order/create', 'POST'],
    ['POST', '/order/confirm', 'PUT'],
    ['DELETE', '/order/get', 'GET'],
    ['PUT', '/_mock/faults', 'GET, POST, DELETE'],
  ])('responds to %s %s with the allowed methods', async (method, path, allow) => {
    await using service = await openService({ way })
    const { status, headers } = await service.json(method, path)
    expect([status, headers.allow]).toEqual([405, allow])
  })

  test('accepts __proto__ as a SKU, a reference and an order id', async () => {
    await using service = await openService({ way, catalogue: createHostileCatalogue() })
    const id = await service.confirmed([line(proto), line('constructor', { quote: 2 })], {
      reference: proto,
    })
    service.clock.advance(2_000)
    const { data, status } = await service.get(id)
    expect([status, data.reference, Object.keys(data.products), Object.keys(data.redeem)]).toEqual([
      200,
      proto,
      [proto, 'constructor'],
      [proto, 'constructor'],
    ])
    const unknown = [
      await service.get(proto),
      await service.confirm(proto),
      await service.create(['toString']),
    ]
    expect(unknown.map((reply) => reply.status)).toEqual([404, 404, 404])
  })
})
