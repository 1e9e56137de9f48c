// Each refusal of order-service.md 7, and the input that causes it.
import { describe, expect, test } from 'vitest'
import { type RefusalKind, refusals } from '../../src/contract/refusals.ts'
import { catalogueOf, openService, orderOf } from '../support/embedded.ts'
import { rowsOf } from '../support/rows.ts'
import { expectSteps } from '../support/steps.ts'
import { actsOn, testHistories } from './histories.ts'

// The wallet AUD holds 10 AUD.
const problem = 'fault confirm:status=500,{"message":"Server problem; retry later."}'
const table = `
  a valid order                       | create GAME-US
  five lines of five units            | create GAME-US x5, GAME-DE x5, GAME-JP x5, MUSIC-US x5, MUSIC-FR x5
  list-too-big: six SKUs              | create GAME-US, GAME-DE, GAME-JP, MUSIC-US, MUSIC-FR, FILM-GB
  list-too-big: six units of one SKU  | create GAME-US x6
  list-too-big: 26 units in all       | create GAME-US x6, GAME-DE x5, GAME-JP x5, MUSIC-US x5, MUSIC-FR x5
  list-malformed: a SKU twice         | create GAME-US, GAME-DE, GAME-US
  list-malformed: twice, too many     | create GAME-US, GAME-DE, GAME-JP, MUSIC-US, MUSIC-FR, FILM-GB, GAME-US
  list-malformed: no product at all   | create nothing
  list-malformed: half a unit         | create GAME-US x0.5
  list-malformed: no unit             | create GAME-US x0
  list-malformed: a quote of nothing  | create GAME-US at 0
  quote-mismatch: a wrong fixed price | create GAME-US at 24.99
  quote-mismatch: a fixed product     | create GAME-US as range
  quote-mismatch: a range             | create COFFEE-US as fixed
  quote-mismatch: half a yen          | create RIDE-JP at 500.5
  a quote in fils                     | create MOBILE-KW at 0.501
  the minimum of a range              | create COFFEE-US at 5
  the maximum of a range              | create COFFEE-US at 100
  quote-out-of-range: a cent below    | create COFFEE-US at 4.99
  quote-out-of-range: a cent above    | create COFFEE-US at 100.01
  insufficient-funds: poor wallet     | create GAME-US in AUD
  insufficient-funds: no such wallet  | create MUSIC-KW in KWD
  insufficient-funds: at confirm      | create COFFEE-US in AUD; create COFFEE-US in AUD; confirm 1; confirm 2
  bad-request: a webhook to a file    | create GAME-US to file:///etc/passwd
  product-not-found: an unknown SKU   | create GAME-US, NO-SUCH
  exchange-unsupported: no rate       | create TEST-NO-EXCHANGE
  exchange-unsupported: wallet        | create GAME-US in ILS
  out-of-stock: none                  | create TEST-OUT-OF-STOCK
  out-of-stock: more than there are   | create GAME-BR x4
  all of the stock                    | create GAME-BR x3
  server-error: of a product          | create TEST-SERVER-ERROR
  a confirmation                      | create GAME-US; confirm 1
  not-pending: an unknown order       | confirm ord_1
  not-pending: a second confirmation  | create GAME-US; confirm 1; confirm 1
  in the last millisecond             | create GAME-US; advance 599999ms; confirm 1
  expired: at the expiry              | create GAME-US; advance 10m; confirm 1
  server-problem: by a fault          | ${problem}; confirm 1
  invalid-order-id: an empty id       | get
  order-not-found: an unknown order   | get ord_1`
const rows = rowsOf(table).map(([title = '', steps = '']) => ({
  ...{ title, steps, kind: title.split(':')[0] as RefusalKind },
}))

const bodies: [string, string, unknown, RefusalKind][] = [
  ['POST', '/order/create', { wallet: 'USD', reference: 'a' }, 'list-malformed'],
  ['POST', '/order/create', { ...orderOf(['GAME-US']), wallet: undefined }, 'bad-request'],
  ['POST', '/order/create', { ...orderOf(['GAME-US']), reference: undefined }, 'bad-request'],
  ['POST', '/order/create', [], 'bad-request'],
  ['PUT', '/order/confirm', {}, 'invalid-order-id'],
  ['PUT', '/order/confirm', { orderId: '' }, 'invalid-order-id'],
  ['PUT', '/order/confirm', { orderId: 1 }, 'invalid-order-id'],
  ['PUT', '/order/confirm', 'id', 'invalid-order-id'],
  ['GET', '/order/get', undefined, 'invalid-order-id'],
]

describe('the service', () => {
  test.each(rows)('responds as documented to $title', async ({ title, steps, kind }) => {
    await using service = await openService()
    const wanted = title.includes(':') ? `${refusals[kind].status} ${refusals[kind].message}` : '200'
    await expectSteps(actsOn(service).acts, `${steps} → ${wanted}`)
  })

  test.each(bodies)('refuses %s %s with the body %j', async (method, path, body, kind) => {
    await using service = await openService()
    const { status, message } = refusals[kind]
    expect(await service.json(method, path, body)).toMatchObject({ status, message })
  })

  test('is tested for each refusal', () => {
    const reached = new Set(rows.filter(({ title }) => title.includes(':')).map(({ kind }) => kind))
    expect([...reached.add('credentials')].sort()).toEqual(Object.keys(refusals).sort())
  })

  test('lists all violations of a request', async () => {
    await using service = await openService()
    const order = orderOf(['GAME-US'], { wallet: 'US dollars' })
    const productList = order.productList.map((line) => ({ ...line, quantity: 6, quote: -1 }))
    const { message, violations } = await service.json('POST', '/order/create', { ...order, productList })
    expect([message, violations.length]).toEqual(['Your product list is not formatted well', 3])
    expect(violations[2]).toMatch(/^wallet is "US dollars"; allowed: /)
  })

  const fixed = { productType: 'fixed', country: 'US' }
  const catalogue = catalogueOf({
    products: [
      { ...fixed, sku: 'TEN', name: 'Ten', currency: 'USD', quote: 10 },
      { ...fixed, sku: 'ALL', name: 'All', currency: 'EUR', quote: 1e11 },
    ],
    wallets: [{ currency: 'USD', balance: 20 }],
    rates: [{ baseCurrency: 'EUR', targetCurrency: 'USD', rate: 1e11 }],
  })
  const { message } = refusals['insufficient-funds']
  testHistories(
    `
== accepts an order for the whole balance, and refuses a total that is too large to store
  create TEN at 10; create TEN at 10; confirm 1 → 200; confirm 2 → 200; create TEN at 10 → 400 ${message}
  create ALL x5 at 100000000000 → 400 ${message}; balance USD → 0
`,
    () => openService({ catalogue }),
  )
  testHistories(
    `
== fails and refunds a line whose stock ran out after the creation
  create GAME-BR x2; create GAME-BR x2, GAME-US; confirm 1; balance USD → 999981.33
  confirm 2 → 200; advance 2s; state 2 → partial; get 2 redeem.keys → ["GAME-US"]
  remaining GAME-BR → 1; balance USD → 999956.33
`,
    () => openService(),
  )
})
