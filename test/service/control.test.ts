// The routes under /_mock/, except those of faults.
import { describe, expect, test } from 'vitest'
import { line, openService, secretsOf } from '../support/embedded.ts'
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
