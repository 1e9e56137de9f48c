// get: one document for one order, one a line for several.
import { expect, test } from 'vitest'
import { openWorld, order, overNetwork } from '../../support/world.ts'

test('prints the order as the service documents it', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  const { exit, data, stderr } = await shop.asks(['get', id])
  const created = { _seconds: Date.UTC(2026, 2, 1, 12) / 1_000, _nanoseconds: 0 }
  expect({ exit, stderr, data }).toEqual({
    exit: 0,
    stderr: '',
    data: {
      uid: id,
      state: 'created',
      products: {
        'GAME-US': {
          sku: 'GAME-US',
          request: { quote: 25, quantity: 1 },
          customerDeal: {
            dealState: 'ACTIVE',
            fee: { amount: 0, adjustmentMode: 'percentage' },
            discount: { amount: 0, adjustmentMode: 'percentage' },
          },
          shopItem: {
            country: 'US',
            quote: 25,
            name: 'Quorvane Games 25 USD',
            region: 'local',
            productType: 'fixed',
            baseCurrency: 'USD',
          },
        },
      },
      exchangeRates: [],
      invoice: {
        total: 25,
        wallet: 'USD',
        records: [
          {
            total: { USD: 25 },
            sku: 'GAME-US',
            items: [
              {
                type: 'main-product',
                description: '1 x Quorvane Games 25 USD',
                effect: { amount: 25, currency: 'USD' },
                metaData: { quantity: 1, quote: 25 },
              },
            ],
          },
        ],
        paymentMethod: 'balance',
        status: 'unpaid',
      },
      createdDate: created,
      modifiedDate: created,
      redeem: {},
      reference: 'po-1',
    },
  })
})

test('prints several orders as one JSON object a line, in the given sequence', async () => {
  const shop = await openWorld(overNetwork)
  const one = await shop.id(...order)
  const two = await shop.id(...order.with(2, 'GAME-US:25x3').with(6, 'po-2'))
  const words = ['get', two, one]
  expect(await shop.must(...words, '--json', '--fields', 'uid,invoice.total')).toBe(
    `{"uid":"${two}","invoice":{"total":75}}\n{"uid":"${one}","invoice":{"total":25}}\n`,
  )
  expect(await shop.id(...words)).toBe(`${two}\n${one}`)
})
