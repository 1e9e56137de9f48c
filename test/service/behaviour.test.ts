// The operations create, confirm and get, and the states of an order (order-service.md 3 and 4).
import { describe, expect, test } from 'vitest'
import { decimal } from '../../src/contract/money/decimal.ts'
import {
  confirmExample,
  confirmedExample,
  createCreatedExample,
  createExample,
  createOrderExample,
} from '../../src/contract/openapi/examples.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openService } from '../support/embedded.ts'
import { startTime } from '../support/manual-clock.ts'
import { testHistories } from './histories.ts'

describe('the service', () => {
  test('responds to the example of the documentation as documented', async () => {
    const rates = [{ baseCurrency: 'EUR', targetCurrency: 'USD', rate: decimal('1.08') }]
    const catalogue = { ...builtInCatalogue(), rates }
    await using service = await openService({ catalogue, redeemShape: 'B' })
    const created = await service.json('POST', '/order/create', createExample)
    const { id } = created.data
    expect(id).toMatch(/^sbx_[0-9a-z]{16}$/)
    expect(created.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })
    service.clock.advance(38_000)
    const confirmed = await service.confirm(id)
    service.clock.advance(2_000)
    const code = expect.stringMatching(/^SANDBOX-([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    const order = createOrderExample(startTime / 1_000)
    order.data.redeem['GAME-DE'].redeemPin = [code, code]
    // A later get gives the same dates.
    for (const later of [0, 90_000]) {
      service.clock.advance(later)
      const texts = [created.text, confirmed.text, (await service.get(id)).text]
      const replies = texts.map((text) => JSON.parse(text.replaceAll(id, confirmExample.orderId)))
      expect(replies).toEqual([createCreatedExample(startTime / 1_000), confirmedExample, order])
    }
    expect(await service.balance('USD')).toBe(1_000_000 - 44.28)
  })

  test('describes each card of a fixed product, and a discount', async () => {
    await using service = await openService()
    const id = await service.confirmed(['GAME-DE', 'COFFEE-US'])
    service.clock.advance(62_250)
    const { redeem, invoice } = (await service.get(id)).data
    const { cards, redeemInstructions, ...facts } = redeem['GAME-DE']
    expect(facts).toEqual({ currency: 'EUR', value: 20 })
    expect(redeemInstructions).toMatchObject({ languageCode: 'de', tncHtml: expect.any(String) })
    const [, coffee] = invoice.records
    expect(coffee.items[1]).toEqual({
      ...{ type: 'discount', description: 'discount 4 %', metaData: {} },
      effect: { amount: -0.2, currency: 'USD' },
    })
    expect(cards).toEqual([
      {
        redeemCardCode: expect.stringMatching(/^SANDBOX-/),
        redeemPin: expect.stringMatching(/^\d{6}$/),
        redeemLink: expect.stringMatching(/^https:\/\/redeem\.example\/GAME-DE\/SANDBOX-[0-9A-Z-]{19}$/),
        redeemSerialNumber: expect.stringMatching(/^\d{16}$/),
        expirationDate: new Date(startTime + 2_000 + 1_095 * 86_400_000).toISOString(),
      },
    ])
  })

  testHistories(
    `
== an order is processed, and then successful
  create GAME-US; confirm 1; advance 499ms; state 1 → confirmed; advance 1ms; state 1 → processing
  advance 1499ms; state 1 → processing; advance 1ms; state 1 → successful
== an order of TEST-SLOW takes a minute
  create TEST-SLOW; confirm 1; advance 14999ms; state 1 → confirmed; advance 1ms; state 1 → processing
  advance 44999ms; state 1 → processing; advance 1ms; state 1 → successful
== a get has the time of the last change of state
  create GAME-US; advance 1s; get 1 modifiedDate → {"_seconds":1700000000,"_nanoseconds":0}
  confirm 1; advance 100ms; get 1 modifiedDate → {"_seconds":1700000001,"_nanoseconds":0}
  advance 500ms; get 1 modifiedDate → {"_seconds":1700000001,"_nanoseconds":500000000}
  advance 5s; get 1 modifiedDate → {"_seconds":1700000003,"_nanoseconds":0}
== an order never moves to an earlier state, even if the clock goes back
  create GAME-US; create MUSIC-US; confirm 1; confirm 2; advance 600ms; state 1 → processing
  advance -1h; state 1 → processing; state 2 → processing
  advance 1h; advance 2s; get 1 modifiedDate._seconds → 1700000002; advance -1h
  state 1 → successful; get 1 modifiedDate._seconds → 1700000002
== a line that failed is refunded to the wallet that paid, at the rate of the order
  create GAME-DE, TEST-FAIL in JPY; confirm 1; balance JPY → 149995185
  advance 2s; state 1 → partial; balance JPY → 149996679
== the first get of an order with TEST-NOT-FOUND-LATER responds 404
  create TEST-NOT-FOUND-LATER; confirm 1; get 1 → 404 Not Found; get 1 → 200 Order retrieved.
`,
    () => openService(),
  )
})
