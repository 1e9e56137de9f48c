// The routes under /_mock/, except those of faults. Neither they nor the request log show a redeem code.
import { describe, expect, test } from 'vitest'
import type { LogEntry } from '../../src/service/exchange-log.ts'
import { apiKey, line, openService, secretsOf } from '../support/embedded.ts'
import { startTime } from '../support/manual-clock.ts'
import { type Service, testHistories } from './histories.ts'

const toIso = (ms: number): string => new Date(startTime + ms).toISOString()

/** Buys cards of both redeem shapes, and returns their secrets. */
const buy = async (service: Service) => {
  const id = await service.confirmed([line('GAME-DE', { quantity: 2 }), 'COFFEE-US', 'MUSIC-KW'])
  service.clock.advance(2_000)
  return secretsOf((await service.get(id)).data.redeem)
}

describe('the control routes', () => {
  test('list themselves, and every listed route exists', async () => {
    await using service = await openService()
    const { data } = await service.mock('GET', '/')
    for (const { method, path } of data) {
      const { status } = await service.json(method, path, method === 'POST' ? {} : undefined)
      expect([path, status === 200 || status === 400 || path === '/_mock/redeliver']).toEqual([path, true])
    }
    const paths = data.map(({ path }: { path: string }) => path)
    for (const path of ['/state', '/reset', '/clock', '/outcome', '/requests', '/deliveries', '/faults'])
      expect(paths).toContain(`/_mock${path}`)
  })

  testHistories(
    `
== show wallets, stock and the newest orders
  create BOOK-FR in EUR for first; advance 1s; create BOOK-FR in EUR; confirm 2; advance 2s
  GET /state now → ${toIso(3_000)}; GET /state clockOffsetMs → 0; GET /state seed → test
  GET /state wallets.0 → {"currency":"AUD","opening":10,"balance":10}; GET /state wallets.length → 5
  GET /state wallets.1 → {"currency":"EUR","opening":1000000,"balance":999987.5}; remaining BOOK-FR → 11
  GET /state?limit=1 orders.length → 1; GET /state?limit=1 orders.0.number → 2
  GET /state?before=2 orders.length → 1; GET /state?before=2 orders.0.reference → first
== refuse invalid values
  GET /state?limit=0 → 400 limit must be a whole number from 1 to 1000
  GET /state?limit=1001 → 400 limit must be a whole number from 1 to 1000
  GET /requests?orderID=x → 400 the allowed parameters are path, orderId, since, limit
  GET /deliveries?orderId=x → 400 the allowed parameters are limit
  GET /state?since=x → 400 the allowed parameters are before, limit
  GET /requests?path=orders → 400 path must begin with /, such as /order
  GET /requests?limit=1.5 → 400 limit must be a whole number from 1 to 1000
  GET /deliveries?limit=x → 400 limit must be a whole number from 1 to 1000
  GET /state?before=x → 400 before must be an order number, such as ?before=12
  clock -1s → 400 advance must be a duration…
  POST /clock → 400 advance must be a duration…
  clock 99999999999d → 400 advance must be a duration…
  clock 100000000d → 400 the clock cannot go past the year 9999…
  outcome 1 lost → 400 outcome must be one of successful, partial, failed, rejected
  POST /outcome [] → 400 outcome must be one of successful, partial, failed, rejected
  GET /state now → ${toIso(0)}
== set the outcome of an order before its confirmation
  create GAME-US; outcome 1 rejected → 200; outcome 1 failed → 200; state 1 → created; confirm 1
  state 1 → confirmed; advance 2s; state 1 → failed; balance USD → 1000000
== refuse an outcome that is not possible
  create GAME-US; confirm 1
  outcome 1 partial → 409 An order with one SKU cannot be partial. Order two SKUs or more.
  outcome 1 successful → 200; state 1 → successful; outcome 1 failed → 409
  outcome ord_1 failed → 404 No order has this id. List the orders: GET /_mock/state
== advance the clock for the states and the expiry of orders
  create TEST-SLOW; confirm 1; create GAME-US
  clock 1m → 200 {"now":"${toIso(60_000)}","clockOffsetMs":60000}
  state 1 → successful; clock 9m; confirm 2 → 419
== reset all state, and the clock goes on
  create GAME-BR; confirm 1; clock 1h; GET /state; reset → 200
  GET /requests 0.path → /_mock/reset; GET /requests length → 2
  GET /state now → ${toIso(0)}; GET /state clockOffsetMs → 0; GET /state orders → []
  remaining GAME-BR → 3; balance USD → 1000000
  create GAME-US; confirm 2; advance 2s; state 2 → successful
== list deliveries, and send one again
  create GAME-US to http://127.0.0.1:1/hook; confirm 1; advance 2s; state 1 → successful
  GET /deliveries length → 2; GET /deliveries 0.event → final; GET /deliveries 1.event → confirmed
  GET /deliveries 0.url → http://127.0.0.1:1/hook; GET /deliveries 0.state → pending
  GET /deliveries 0.attempts → []; redeliver 0 → 200 pending
  POST /redeliver → 404 No delivery has this id. List the deliveries: GET /_mock/deliveries
`,
    () => openService(),
    (service) => ({
      redeliver: async (index) => {
        const { data } = await service.mock('GET', '/deliveries')
        const { id } = data[Number(index)]
        const again = await service.mock('POST', '/redeliver', { deliveryId: id })
        return `${again.status} ${again.data.id === id ? again.data.state : 'another'}`
      },
    }),
  )

  test('reset the service so that the same orders get the same codes, unlike another seed', async () => {
    await using service = await openService()
    await using other = await openService({ seed: 'other' })
    const [first, again] = [await buy(service), await buy(service)]
    await service.mock('POST', '/clock', { advance: '1h' })
    await service.mock('POST', '/faults', { fault: 'any:html' })
    expect(await service.mock('POST', '/reset')).toMatchObject({ status: 200 })
    expect(await buy(service)).toEqual(first)
    expect(await buy(service)).toEqual(again)
    expect(new Set([...first, ...again, ...(await buy(other))]).size).toBe(3 * first.length)
  })
})

describe('the request log', () => {
  test('shows no code, PIN, serial number, link or API key', async () => {
    const entries: LogEntry[] = []
    await using service = await openService({ onRequest: (entry) => entries.push(entry) })
    const webhookUrl = 'http://127.0.0.1:1/hook'
    const id = await service.confirmed(['GAME-DE', 'COFFEE-US', 'MUSIC-KW'], { webhookUrl })
    service.clock.advance(2_000)
    const secrets = secretsOf((await service.get(id)).data.redeem)
    for (const outcome of ['failed', 'successful']) {
      const orderId = outcome === 'failed' ? id : await service.confirmed(['GAME-DE'])
      await service.mock('POST', '/outcome', { orderId, outcome })
    }
    const shown = [JSON.stringify(entries)]
    for (const path of ['/', '/state', '/requests', '/deliveries', '/faults'])
      shown.push((await service.mock('GET', path)).text)
    const found = [...secrets, apiKey, 'redeem.example'].filter((secret) => shown.join('\n').includes(secret))
    expect([secrets.length, found]).toEqual([6, []])
  })

  test('shows what a client sent and got, with masked keys', async () => {
    await using service = await openService({ openInspector: () => (transport) => transport })
    const id = await service.created(['GAME-US'], { reference: 'po-1' })
    service.clock.advance(5_000)
    await service.raw('PUT', '/order/confirm', { headers: { 'x-api-key': 'wrong' }, body: '{"orderId": ' })
    await service.confirm(id)
    await service.mock('POST', '/faults', { fault: 'get:reset-after' })
    await service.get(id).catch(() => {})
    const { data: creates } = await service.mock('GET', '/requests?path=/order/create')
    expect(creates).toMatchObject([
      {
        request: {
          headers: { authorization: 'Bearer …', 'content-type': 'application/json' },
          body: { json: { reference: 'po-1', productList: [{ sku: 'GAME-US', quantity: 1 }] }, isCut: false },
        },
        response: { body: { json: { data: { id } } } },
      },
    ])
    expect(JSON.parse(creates[0].request.body.text)).toEqual(creates[0].request.body.json)
    const list = async (query: string) => {
      const { data } = await service.mock('GET', `/requests?${query}`)
      return data.map(({ path, status }: { path: string; status: number | null }) => `${path} ${status}`)
    }
    expect(await list(`orderId=${id}`)).toEqual([
      '/order/get null',
      '/order/confirm 200',
      '/order/create 200',
    ])
    expect(await list(`orderId=${id}&path=/order/c&limit=1`)).toEqual(['/order/confirm 200'])
    const since = new Date(startTime + 5_000).toISOString()
    const wanted = ['/order/get null', '/order/confirm 200', '/order/confirm 403']
    for (const text of [since, since.replace('Z', '+00:00')])
      expect(await list(`path=/order&since=${text}`)).toEqual(wanted)
    const [lost, , wrong] = (await service.mock('GET', '/requests?path=/order')).data
    expect([lost.response, lost.query, lost.fault]).toEqual([null, { orderId: id }, 'reset-after'])
    expect(wrong.request).toMatchObject({ headers: { 'x-api-key': '…' }, body: { text: '{"orderId": ' } })
    expect(wrong.request.body).not.toHaveProperty('json')
    expect((await service.mock('GET', '/requests?since=x')).message).toMatch(/^since must be a time, such as/)
    for (const operation of ['confirm', 'get'])
      await service.mock('POST', '/faults', { fault: `${operation}:status=503` })
    await service.confirm(id)
    await service.get(id)
    expect(await list(`orderId=${id}&limit=2`)).toEqual(['/order/get 503', '/order/confirm 503'])
  })
})
