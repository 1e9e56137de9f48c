// Section 4, whole: create, confirm and get, and the states of section 3.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { confirmAnswer, createAnswer, getAnswer } from '../../src/contract/schemas.ts'
import { line, openService, start, ways } from '../support/embedded.ts'
import { must } from '../support/must.ts'

const at = (ms: number) => ({ _seconds: Math.floor(ms / 1000), _nanoseconds: (ms % 1000) * 1e6 })
const card = expect.stringMatching(/^SANDBOX-([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)

const rate = { baseCurrency: 'EUR', targetCurrency: 'USD', rate: 1.0842, modifiedDate: at(start) }
const effect = (amount: number, currency: string) => ({ amount, currency })
const main = (units: number, quote: number, name: string, currency: string) => ({
  type: 'main-product',
  description: `${units} x ${name}`,
  effect: effect(units * quote, currency),
  metaData: { quantity: units, quote },
})
const exchange = (euros: number, dollars: number) =>
  [
    ['exchange-base-currency', effect(-euros, 'EUR')],
    ['exchange-target-currency', effect(dollars, 'USD')],
  ].map(([type, change]) => ({
    type,
    description: 'EUR to USD at 1.0842',
    effect: change,
    metaData: rate,
  }))

// Two of 20 EUR with a fee of 2.5 %, and one of 50 USD with a discount of 4 %.
const german = main(2, 20, 'Quorvane Games 20 EUR', 'EUR')
const coffee = main(1, 50, 'Brambletosh Coffee', 'USD')
const invoice = (status: string) => ({
  total: 92.45,
  wallet: 'USD',
  records: [
    {
      total: { EUR: 0, USD: 44.45 },
      sku: 'GAME-DE',
      items: [
        german,
        { type: 'fee', description: 'fee 2.5 %', effect: effect(1, 'EUR'), metaData: {} },
        ...exchange(41, 44.45),
      ],
    },
    {
      total: { USD: 48 },
      sku: 'COFFEE-US',
      items: [
        coffee,
        { type: 'discount', description: 'discount 4 %', effect: effect(-2, 'USD'), metaData: {} },
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
    { total: { EUR: 0, USD: 43.37 }, sku: 'GAME-DE', items: [german, ...exchange(40, 43.37)] },
    { total: { USD: 50 }, sku: 'COFFEE-US', items: [coffee] },
  ],
  paymentMethod: 'balance',
  status: 'unpaid',
}
const entry = (shown: ReturnType<typeof line>, shop: object, fee: number, discount: number) => ({
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
    const expiresAt = start + 600_000
    const whole = { id, exchangeRates: [rate], invoice: invoice('unpaid'), retailInvoice, expiresAt }
    expect(JSON.parse(created.text)).toEqual({ message: 'Order created.', data: whole })
    expect(created.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })

    service.clock.advance(60_250)
    const confirmed = await service.confirm(id)
    const data = { id, state: 'confirmed' }
    expect(JSON.parse(confirmed.text)).toEqual({ message: 'Order confirmed successfully.', data })

    // Later than it ended: what is said of its end stays the same.
    service.clock.advance(90_000)
    const retrieved = await service.get(id)
    const game = { country: 'DE', name: 'Quorvane Games 20 EUR', baseCurrency: 'EUR' }
    const cafe = { country: 'US', name: 'Brambletosh Coffee', baseCurrency: 'USD' }
    const codes = { redeemCardCode: card, redeemPin: expect.stringMatching(/^\d{6}$/) }
    const cards = {
      ...codes,
      redeemLink: expect.stringMatching(/^https:\/\/redeem\.example\/GAME-DE\/SANDBOX-[0-9A-Z-]{19}$/),
      redeemSerialNumber: expect.stringMatching(/^\d{16}$/),
      expirationDate: new Date(start + 62_250 + 1_095 * 86_400_000).toISOString(),
    }
    expect(JSON.parse(retrieved.text)).toEqual({
      message: 'Order retrieved.',
      data: {
        uid: id,
        state: 'successful',
        products: {
          'GAME-DE': entry(line('GAME-DE', { quantity: 2 }), game, 2.5, 0),
          'COFFEE-US': entry(line('COFFEE-US', { quote: 50 }), cafe, 0, 4),
        },
        exchangeRates: [rate],
        invoice: invoice('paid'),
        createdDate: at(start),
        modifiedDate: at(start + 62_250),
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
    must(createAnswer, readJson(created.text))
    must(confirmAnswer, readJson(confirmed.text))
    must(getAnswer, readJson(retrieved.text))
    expect(await service.balance('USD')).toBe(1_000_000 - 92.45)
  })

  test('says that an order is created, unpaid and without codes until it is confirmed', async () => {
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
    const seen: unknown[] = []
    let now = 0
    for (const time of times) {
      service.clock.advance(time - now)
      now = time
      seen.push(await service.state(id))
    }
    expect(seen).toEqual(states)
  })

  test('says when an order came into its state', async () => {
    await using service = await openService({ way })
    const id = await service.created(['GAME-US'])
    const modified: number[] = []
    const look = async () => {
      const { _seconds, _nanoseconds } = (await service.get(id)).data.modifiedDate
      modified.push(_seconds * 1_000 + _nanoseconds / 1e6 - start)
    }
    service.clock.advance(1_000)
    await look()
    await service.confirm(id)
    for (const ms of [100, 500, 5_000]) {
      service.clock.advance(ms)
      await look()
    }
    expect(modified).toEqual([0, 1_000, 1_500, 3_000])
  })

  test('never takes an order back, though the clock be set back', async () => {
    await using service = await openService({ way })
    const [early, late] = [await service.confirmed(['GAME-US']), await service.confirmed(['MUSIC-US'])]
    service.clock.advance(600)
    const seen = [await service.state(early)]
    service.clock.advance(-3_600_000)
    seen.push(await service.state(early), await service.state(late))
    service.clock.advance(3_602_000)
    const { data } = await service.get(early)
    service.clock.advance(-3_600_000)
    expect([...seen, data.state]).toEqual(['processing', 'processing', 'processing', 'successful'])
    expect((await service.get(early)).data).toEqual(data)
  })

  test.each<[string, string[], string, string[], number]>([
    ['a line that fails makes the order partial', ['GAME-US', 'TEST-FAIL'], 'partial', ['GAME-US'], 25],
    ['all lines that fail make it failed', ['TEST-FAIL'], 'failed', [], 0],
    ['a rejected order has no codes and costs nothing', ['GAME-US', 'TEST-REJECT'], 'rejected', [], 0],
    ['an order in an odd state has no codes yet, and its money', ['TEST-ODD-STATE'], 'under-review', [], 10],
    [
      'a good order costs what it is worth',
      ['GAME-US', 'TEST-SLOW'],
      'successful',
      ['GAME-US', 'TEST-SLOW'],
      35,
    ],
  ])('%s', async (_title, skus, state, delivered, cost) => {
    await using service = await openService({ way })
    const id = await service.confirmed(skus)
    expect(await service.balance('USD')).toBe(
      1_000_000 - skus.length * 10 - (skus.includes('GAME-US') ? 15 : 0),
    )
    service.clock.advance(60_000)
    const { data } = await service.get(id)
    expect([data.state, Object.keys(data.redeem)]).toEqual([state, delivered])
    expect(await service.balance('USD')).toBe(1_000_000 - cost)
  })

  test('refunds a line in the wallet that paid, at the frozen rate', async () => {
    await using service = await openService({ way })
    const id = await service.confirmed(['GAME-DE', 'TEST-FAIL'], { wallet: 'JPY' })
    // 20.50 EUR at 161.98, 10 USD at 149.401
    expect(await service.balance('JPY')).toBe(150_000_000 - 3_321 - 1_494)
    service.clock.advance(2_000)
    expect(await service.state(id)).toBe('partial')
    expect(await service.balance('JPY')).toBe(150_000_000 - 3_321)
  })

  test('does not know an order of TEST-NOT-FOUND-LATER the first time it is asked', async () => {
    await using service = await openService({ way })
    const id = await service.confirmed(['TEST-NOT-FOUND-LATER'])
    const replies = [await service.get(id), await service.get(id)]
    expect(replies.map(({ status, message }) => [status, message])).toEqual([
      [404, 'Not Found'],
      [200, 'Order retrieved.'],
    ])
  })
})
