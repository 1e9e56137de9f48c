// Each refusal of order-service.md 7, and the input that causes it.
import { describe, expect, test } from 'vitest'
import { limits } from '../../src/contract/limits.ts'
import { type RefusalKind, refusals } from '../../src/contract/refusals.ts'
import { catalogueOf, type Line, line, openService, orderOf, ways } from '../support/embedded.ts'

type Service = Awaited<ReturnType<typeof openService>>
type Ask = (service: Service) => ReturnType<Service['get']>

const create =
  (lines: readonly (string | Line)[], wallet = 'USD'): Ask =>
  (service) =>
    service.create(lines, { wallet })
const createWith =
  (document: unknown): Ask =>
  (service) =>
    service.json('POST', '/order/create', document)
const confirmWith =
  (document: unknown): Ask =>
  (service) =>
    service.json('PUT', '/order/confirm', document)
const six = ['GAME-US', 'GAME-DE', 'GAME-JP', 'MUSIC-US', 'MUSIC-FR', 'FILM-GB']

const withFault =
  (source: string, ask: Ask): Ask =>
  async (service) => {
    await service.mock('POST', '/faults', { fault: source })
    return ask(service)
  }

const confirmOnce: Ask = async (service) => service.confirm(await service.created(['GAME-US']))
const confirmTwice: Ask = async (service) => service.confirm(await service.confirmed(['GAME-US']))
const confirmAfter =
  (ms: number): Ask =>
  async (service) => {
    const id = await service.created(['GAME-US'])
    service.clock.advance(ms)
    return service.confirm(id)
  }
// The wallet holds 10 AUD, enough for one of the two orders.
const confirmBoth: Ask = async (service) => {
  const coffee = line('COFFEE-US', { quote: 6 })
  const ids = [
    await service.created([coffee], { wallet: 'AUD' }),
    await service.created([coffee], { wallet: 'AUD' }),
  ]
  await service.confirm(ids[0])
  return service.confirm(ids[1])
}

const cases: [string, Ask, RefusalKind | 'done'][] = [
  ['a valid order', create(['GAME-US']), 'done'],
  ['five lines of five units', create(six.slice(0, 5).map((sku) => line(sku, { quantity: 5 }))), 'done'],
  ['six SKUs', create(six), 'list-too-big'],
  ['six units of one SKU', create([line('GAME-US', { quantity: 6 })]), 'list-too-big'],
  [
    '26 units in all',
    create(six.slice(0, 5).map((sku, index) => line(sku, { quantity: index ? 5 : 6 }))),
    'list-too-big',
  ],
  ['a SKU twice', create(['GAME-US', 'GAME-DE', 'GAME-US']), 'list-malformed'],
  ['a SKU twice, among too many', create([...six, 'GAME-US']), 'list-malformed'],
  ['no product at all', create([]), 'list-malformed'],
  ['no product list', createWith({ wallet: 'USD', reference: 'a' }), 'list-malformed'],
  ['half a unit', create([line('GAME-US', { quantity: 0.5 })]), 'list-malformed'],
  ['no unit', create([line('GAME-US', { quantity: 0 })]), 'list-malformed'],
  ['a quote of nothing', create([line('GAME-US', { quote: 0 })]), 'list-malformed'],
  ['a different price for a fixed product', create([line('GAME-US', { quote: 24.99 })]), 'quote-mismatch'],
  ['a range type for a fixed product', create([line('GAME-US', { productType: 'range' })]), 'quote-mismatch'],
  ['a fixed type for a range', create([line('COFFEE-US', { productType: 'fixed' })]), 'quote-mismatch'],
  ['half a yen', create([line('RIDE-JP', { quote: 500.5 })]), 'quote-mismatch'],
  ['a quote in fils', create([line('MOBILE-KW', { quote: 0.501 })]), 'done'],
  ['the minimum of a range', create([line('COFFEE-US', { quote: 5 })]), 'done'],
  ['the maximum of a range', create([line('COFFEE-US', { quote: 100 })]), 'done'],
  ['a cent below the range', create([line('COFFEE-US', { quote: 4.99 })]), 'quote-out-of-range'],
  ['a cent above the range', create([line('COFFEE-US', { quote: 100.01 })]), 'quote-out-of-range'],
  ['a wallet with too low a balance', create(['GAME-US'], 'AUD'), 'insufficient-funds'],
  ['a wallet that does not exist', create(['MUSIC-KW'], 'KWD'), 'insufficient-funds'],
  ['no wallet', createWith({ ...orderOf(['GAME-US']), wallet: undefined }), 'bad-request'],
  ['no reference', createWith({ ...orderOf(['GAME-US']), reference: undefined }), 'bad-request'],
  [
    'a webhook to a file',
    createWith({ ...orderOf(['GAME-US']), webhookUrl: 'file:///etc/passwd' }),
    'bad-request',
  ],
  ['a list instead of an object', createWith([]), 'bad-request'],
  ['an unknown SKU', create(['GAME-US', 'NO-SUCH']), 'product-not-found'],
  ['an exchange without a rate', create(['TEST-NO-EXCHANGE']), 'exchange-unsupported'],
  ['a wallet without rates', create(['GAME-US'], 'ILS'), 'exchange-unsupported'],
  ['a product without stock', create(['TEST-OUT-OF-STOCK']), 'out-of-stock'],
  ['more than the stock', create([line('GAME-BR', { quantity: 4 })]), 'out-of-stock'],
  ['all of the stock', create([line('GAME-BR', { quantity: 3 })]), 'done'],
  ['a product that causes a server error', create(['TEST-SERVER-ERROR']), 'server-error'],
  ['a confirmation', confirmOnce, 'done'],
  ['a confirmation without an id', confirmWith({}), 'invalid-order-id'],
  ['a confirmation of an empty id', (service) => service.confirm(''), 'invalid-order-id'],
  ['a confirmation of a number', (service) => service.confirm(1), 'invalid-order-id'],
  ['a confirmation that is a string', confirmWith('id'), 'invalid-order-id'],
  ['a confirmation that the balance no longer covers', confirmBoth, 'insufficient-funds'],
  ['a confirmation of an unknown order', (service) => service.confirm('ord_1'), 'not-pending'],
  ['a second confirmation', confirmTwice, 'not-pending'],
  ['a confirmation in the last millisecond', confirmAfter(limits.validityMs - 1), 'done'],
  ['a confirmation at the expiry', confirmAfter(limits.validityMs), 'expired'],
  [
    'a confirmation when the server has a problem',
    withFault('confirm:status=500,{"message":"Server problem; retry later."}', confirmOnce),
    'server-problem',
  ],
  ['an unknown order', (service) => service.get('ord_1'), 'order-not-found'],
  ['an order without an id', (service) => service.json('GET', '/order/get'), 'invalid-order-id'],
  ['an order with an empty id', (service) => service.get(''), 'invalid-order-id'],
]

describe.each(ways)('the service %s', (_name, way) => {
  test.each(cases)('responds to %s as documented', async (_name, ask, kind) => {
    await using service = await openService({ way })
    const { status, message } = await ask(service)
    if (kind === 'done') expect(status).toBe(200)
    else
      expect({ status, message }).toEqual({ status: refusals[kind].status, message: refusals[kind].message })
  })

  test('is tested for each refusal', () => {
    const reached = new Set<string>(cases.map(([, , kind]) => kind))
      .add('credentials')
      .difference(new Set(['done']))
    expect([...reached].sort()).toEqual(Object.keys(refusals).sort())
  })

  test('lists all violations of a request', async () => {
    await using service = await openService({ way })
    const { message, violations } = await service.create([line('GAME-US', { quantity: 6, quote: -1 })], {
      wallet: 'US dollars',
    })
    const [, , wallet] = violations
    expect([message, violations.length]).toEqual(['Your product list is not formatted well', 3])
    expect(wallet).toMatch(/^wallet is "US dollars"; allowed: /)
  })

  test('accepts an order for the whole balance, and refuses a total that is too large to store', async () => {
    const fixed = { productType: 'fixed', country: 'US' }
    const catalogue = catalogueOf({
      products: [
        { ...fixed, sku: 'TEN', name: 'Ten', currency: 'USD', quote: 10 },
        { ...fixed, sku: 'ALL', name: 'All', currency: 'EUR', quote: 1e11 },
      ],
      wallets: [{ currency: 'USD', balance: 20 }],
      rates: [{ baseCurrency: 'EUR', targetCurrency: 'USD', rate: 1e11 }],
    })
    await using service = await openService({ way, catalogue })
    const ten = line('TEN', { quote: 10 })
    const ids = [await service.created([ten]), await service.created([ten])]
    for (const id of ids) expect((await service.confirm(id)).status).toBe(200)
    const replies = [
      await service.create([ten]),
      await service.create([line('ALL', { quote: 1e11, quantity: 5 })]),
    ]
    const { message } = refusals['insufficient-funds']
    expect(replies.map((reply) => [reply.status, reply.message])).toEqual([
      [400, message],
      [400, message],
    ])
    expect(await service.balance('USD')).toBe(0)
  })

  test('fails and refunds a line whose stock ran out after the creation', async () => {
    await using service = await openService({ way })
    const brazil = line('GAME-BR', { quantity: 2 })
    const [first, second] = [await service.created([brazil]), await service.created([brazil, 'GAME-US'])]
    await service.confirm(first)
    const before = Number(await service.balance('USD'))
    expect(await service.confirm(second)).toMatchObject({ status: 200, data: { state: 'confirmed' } })
    service.clock.advance(2_000)
    const { data } = await service.get(second)
    expect([data.state, Object.keys(data.redeem)]).toEqual(['partial', ['GAME-US']])
    expect([await service.remaining('GAME-BR'), await service.balance('USD')]).toEqual([1, before - 25])
  })
})
