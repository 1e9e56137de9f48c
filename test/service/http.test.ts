// Paths, methods, credentials and request bodies.
import { describe, expect, test } from 'vitest'
import { refusals } from '../../src/contract/refusals.ts'
import { apiKey, catalogueOf, openService, orderOf, ways } from '../support/embedded.ts'
import { testHistories } from './histories.ts'

const hostile = { name: 'Proto', country: 'US', productType: 'fixed', currency: 'USD', quote: 1 }
const catalogue = catalogueOf({
  products: ['__proto__', 'constructor'].map((sku) => ({ ...hostile, sku })),
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
      ...[apiKey, `Bearer ${apiKey}x`, `Bearer ${apiKey.slice(1)}`, `Basic ${apiKey}`, 'Bearer '].map(
        (authorization) => ({ authorization }),
      ),
      ...['', apiKey.toUpperCase(), `${apiKey}, ${apiKey}`].map((key) => ({ 'x-api-key': key })),
    ]
    for (const headers of wrong) expect([headers, await findRefusal(headers)]).toEqual([headers, message])
    for (const headers of [bearer, { authorization: `bearer ${apiKey}` }, { 'x-api-key': apiKey }]) {
      expect(await findRefusal(headers)).toBe('accepted')
    }
  })

  test.each<[string, string, string, number, string]>([
    ['no content type', '', '{}', 415, wrongType],
    ['a form', 'application/x-www-form-urlencoded', '{}', 415, wrongType],
    ['a type that only starts with application/json', 'application/jsonp', '{}', 415, wrongType],
    ['no body', json['content-type'], '', 400, 'is not valid JSON: expected a value at the end'],
    ['a duplicate key', json['content-type'], '{"a":1,"a":2}', 400, 'contains the key "a" twice'],
    ['33 levels', json['content-type'], '['.repeat(33), 400, 'is nested deeper than 32 levels'],
    ['65,537 bytes', json['content-type'], `"${'ß'.repeat(32_768)}"`, 413, 'is larger than 65536 bytes.'],
  ])('refuses %s', async (_name, type, body, status, message) => {
    await using service = await openService({ way })
    const headers = { ...bearer, 'content-type': type }
    for (const [method, path] of operations.slice(0, 2)) {
      const reply = await service.raw(method, path, { headers, body })
      expect([reply.status, reply.message]).toEqual([status, expect.stringContaining(message)])
    }
  })

  testHistories(
    `
== accepts __proto__ as a SKU, a reference and an order id
  create __proto__, constructor for __proto__; confirm 1 → 200; advance 2s; get 1 reference → __proto__
  get 1 products.keys → ["__proto__","constructor"]; get 1 redeem.keys → ["__proto__","constructor"]
  get __proto__ → 404; confirm __proto__ → 404; create toString → 404
`,
    () => openService({ way, catalogue }),
  )
})
