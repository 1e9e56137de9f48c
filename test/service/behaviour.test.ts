// The operations create, confirm and get, and the states of an order (order-service.md 3 and 4).
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { confirmResponse, createResponse, getResponse } from '../../src/contract/schemas.ts'
import { line, openService, startTime, ways } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'

const toTimestamp = (ms: number) => ({ _seconds: Math.floor(ms / 1000), _nanoseconds: (ms % 1000) * 1e6 })
const card = expect.stringMatching(/^SANDBOX-([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)

const rate = {
  baseCurrency: 'EUR',
  targetCurrency: 'USD',
  rate: 1.0842,
  modifiedDate: toTimestamp(startTime),
}
const createEffect = (amount: number, currency: string) => ({ amount, currency })
const createMainItem = (units: number, quote: number, name: string, currency: string) => ({
  type: 'main-product',
  description: `${units} x ${name}`,
  effect: createEffect(units * quote, currency),
  metaData: { quantity: units, quote },
})
const createExchangeItems = (euros: number, dollars: number) =>
  [
    ['exchange-base-currency', createEffect(-euros, 'EUR')],
    ['exchange-target-currency', createEffect(dollars, 'USD')],
  ].map(([type, change]) => ({
    type,
    description: 'EUR to USD at 1.0842',
    effect: change,
    metaData: rate,
  }))

// Two units at 20 EUR with a fee of 2.5 %, and one unit at 50 USD with a discount of 4 %.
const german = createMainItem(2, 20, 'Quorvane Games 20 EUR', 'EUR')
const coffee = createMainItem(1, 50, 'Brambletosh Coffee', 'USD')
const createInvoice = (status: string) => ({
  total: 92.45,
  wallet: 'USD',
  records: [
    {
      total: { EUR: 0, USD: 44.45 },
      sku: 'GAME-DE',
      items: [
        german,
        { type: 'fee', description: 'fee 2.5 %', effect: createEffect(1, 'EUR'), metaData: {} },
        ...createExchangeItems(41, 44.45),
      ],
    },
    {
      total: { USD: 48 },
      sku: 'COFFEE-US',
      items: [
        coffee,
        { type: 'discount', description: 'discount 4 %', effect: createEffect(-2, 'USD'), metaData: {} },
      ],
    },
  ],
  paymentMethod: 'balance',
  status,
})
const retailInvoice = {
  total: 93.37,
  wallet: 'USD',
  records: [
    { total: { EUR: 0, USD: 43.37 }, sku: 'GAME-DE', items: [german, ...createExchangeItems(40, 43.37)] },
    { total: { USD: 50 }, sku: 'COFFEE-US', items: [coffee] },
  ],
  paymentMethod: 'balance',
  status: 'unpaid',
}
const createEntry = (shown: ReturnType<typeof line>, shop: object, fee: number, discount: number) => ({
  sku: shown.sku,
  request: { quote: shown.quote, quantity: shown.quantity },
  customerDeal: {
    dealState: 'ACTIVE',
    fee: { amount: fee, adjustmentMode: 'percentage' },
    discount: { amount: discount, adjustmentMode: 'percentage' },
  },
  shopItem: { quote: shown.quote, region: 'local', productType: shown.productType, ...shop },
})

describe.each(ways)('the service %s', (_name, way) => {
  test('creates, confirms and retrieves an order', async () => {
    await using service = await openService({ way })
    const lines = [line('GAME-DE', { quantity: 2 }), line('COFFEE-US', { quote: 50 })]
    const created = await service.create(lines, { reference: 'PO 1' })
    const { id } = created.data
    expect(id).toMatch(/^sbx_[0-9a-z]{16}$/)
    const expiresAt = startTime + 600_000
    const whole = { id, exchangeRates: [rate], invoice: createInvoice('unpaid'), retailInvoice, expiresAt }
    expect(JSON.parse(created.text)).toEqual({ message: 'Order created.', data: whole })
    expect(created.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })

    service.clock.advance(60_250)
    const confirmed = await service.confirm(id)
    const data = { id, state: 'confirmed' }
    expect(JSON.parse(confirmed.text)).toEqual({ message: 'Order confirmed successfully.', data })

    // A later get gives the same dates.
    service.clock.advance(90_000)
    const retrieved = await service.get(id)
    const game = { country: 'DE', name: 'Quorvane Games 20 EUR', baseCurrency: 'EUR' }
    const cafe = { country: 'US', name: 'Brambletosh Coffee', baseCurrency: 'USD' }
    const codes = { redeemCardCode: card, redeemPin: expect.stringMatching(/^\d{6}$/) }
    const cards = {
      ...codes,
      redeemLink: expect.stringMatching(/^https:\/\/redeem\.example\/GAME-DE\/SANDBOX-[0-9A-Z-]{19}$/),
      redeemSerialNumber: expect.stringMatching(/^\d{16}$/),
      expirationDate: new Date(startTime + 62_250 + 1_095 * 86_400_000).toISOString(),
    }
    expect(JSON.parse(retrieved.text)).toEqual({
      message: 'Order retrieved.',
      data: {
        uid: id,
        state: 'successful',
        products: {
          'GAME-DE': createEntry(line('GAME-DE', { quantity: 2 }), game, 2.5, 0),
          'COFFEE-US': createEntry(line('COFFEE-US', { quote: 50 }), cafe, 0, 4),
        },
        exchangeRates: [rate],
        invoice: createInvoice('paid'),
        createdDate: toTimestamp(startTime),
        modifiedDate: toTimestamp(startTime + 62_250),
        redeem: {
          'GAME-DE': {
            redeemInstructions: expect.objectContaining({ languageCode: 'de', tncHtml: expect.any(String) }),
            cards: [cards, cards],
            currency: 'EUR',
            value: 20,
          },
          'COFFEE-US': {
            redeemPin: [card],
            currency: 'USD',
            redeemLink: 'https://redeem.example/COFFEE-US',
            value: 50,
          },
        },
        reference: 'PO 1',
      },
    })
    readValid(createResponse, readJson(created.text))
    readValid(confirmResponse, readJson(confirmed.text))
    readValid(getResponse, readJson(retrieved.text))
    expect(await service.balance('USD')).toBe(1_000_000 - 92.45)
  })

  test('reports that a new order is created, unpaid and without codes', async () => {
    await using service = await openService({ way })
    const { data } = await service.get(await service.created(['GAME-US']))
    expect([data.state, data.invoice.status, data.redeem, data.modifiedDate]).toEqual([
      'created',
      'unpaid',
      {},
      data.createdDate,
    ])
    expect(await service.balance('USD')).toBe(1_000_000)
  })

  test.each([
    ['GAME-US', [499, 500, 1_999, 2_000], ['confirmed', 'processing', 'processing', 'successful']],
    ['TEST-SLOW', [14_999, 15_000, 59_999, 60_000], ['confirmed', 'processing', 'processing', 'successful']],
    ['TEST-FAIL', [499, 500, 1_999, 2_000], ['confirmed', 'processing', 'processing', 'failed']],
    ['TEST-REJECT', [499, 500, 1_999, 2_000], ['confirmed', 'processing', 'processing', 'rejected']],
    ['TEST-ODD-STATE', [499, 500, 1_999, 2_000], ['confirmed', 'processing', 'processing', 'under-review']],
  ])('takes an order of %s through its states', async (sku, times, states) => {
    await using service = await openService({ way })
    const id = await service.confirmed([sku])
    const found: unknown[] = []
    let now = 0
    for (const time of times) {
      service.clock.advance(time - now)
      now = time
      found.push(await service.state(id))
    }
    expect(found).toEqual(states)
  })

  test('responds with the time of the last change of state', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    const modified: number[] = []
    const readModified = async () => {
      const { _seconds, _nanoseconds } = (await service.get(id)).data.modifiedDate
      modified.push(_seconds * 1_000 + _nanoseconds / 1e6 - startTime)
    }
    service.clock.advance(1_000)
    await readModified()
    await service.confirm(id)
    for (const ms of [100, 500, 5_000]) {
      service.clock.advance(ms)
      await readModified()
    }
    expect(modified).toEqual([0, 1_000, 1_500, 3_000])
  })

  test('never moves an order to an earlier state, even if the clock goes back', async () => {
    await using service = await openService({ way })
    const [early, late] = [await service.confirmed(['GAME-US']), await service.confirmed(['MUSIC-US'])]
    service.clock.advance(600)
    const states = [await service.state(early)]
    service.clock.advance(-3_600_000)
    states.push(await service.state(early), await service.state(late))
    service.clock.advance(3_602_000)
    const { data } = await service.get(early)
    service.clock.advance(-3_600_000)
    expect([...states, data.state]).toEqual(['processing', 'processing', 'processing', 'successful'])
    expect((await service.get(early)).data).toEqual(data)
  })

  test('refunds a line to the wallet that paid, at the rate of the order', async () => {
    await using service = await openService({ way })
    const id = await service.confirmed(['GAME-DE', 'TEST-FAIL'], { wallet: 'JPY' })
    // 20.50 EUR at 161.98, 10 USD at 149.401
    expect(await service.balance('JPY')).toBe(150_000_000 - 3_321 - 1_494)
    service.clock.advance(2_000)
    expect(await service.state(id)).toBe('partial')
    expect(await service.balance('JPY')).toBe(150_000_000 - 3_321)
  })

  test('responds with 404 to the first get of an order with TEST-NOT-FOUND-LATER', async () => {
    await using service = await openService({ way })
    const id = await service.confirmed(['TEST-NOT-FOUND-LATER'])
    const replies = [await service.get(id), await service.get(id)]
    expect(replies.map(({ status, message }) => [status, message])).toEqual([
      [404, 'Not Found'],
      [200, 'Order retrieved.'],
    ])
  })
})
