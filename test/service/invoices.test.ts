// Invoices add up to the last minor unit (order-service.md 2.6 and 2.7).
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import {
  type Decimal,
  decimal,
  formatDecimal,
  fromMinor,
  roundTo,
  sum,
  toMinor,
} from '../../src/contract/money/decimal.ts'
import { createResponse, getResponse, type Invoice } from '../../src/contract/schemas.ts'
import { builtInCatalogue, type Product } from '../../src/service/catalogue.ts'
import { isAllRun } from '../support/cases.ts'
import { apiKey, line, openService } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'

const { products, wallets, rates } = builtInCatalogue()
const zero = decimal('0')

const canExchange = ({ currency }: Product, wallet: string): boolean =>
  currency === wallet ||
  rates.some((rate) => rate.baseCurrency === currency && rate.targetCurrency === wallet)
const fundedWallets = [...wallets.keys()].filter((wallet) => wallet !== 'AUD')
const sellable = [...products.values()].filter(
  (product) => product.behaviour !== 'server-error' && product.stock !== 0 && product.currency !== 'XTS',
)

const chooseQuote = (product: Product): fc.Arbitrary<Decimal> => {
  if (product.productType === 'fixed') return fc.constant(product.quote)
  const [min, max] = [product.min, product.max].map((amount) => toMinor(product.currency, amount))
  return fc.integer({ min, max }).map((minor) => fromMinor(product.currency, minor))
}
const chooseLine = (product: Product) =>
  fc.record({
    product: fc.constant(product),
    quote: chooseQuote(product),
    quantity: fc.integer({ min: 1, max: Math.min(5, product.stock ?? 5) }),
  })
const chosenLines = fc
  .shuffledSubarray(sellable, { minLength: 1, maxLength: 5 })
  .chain((chosen) => fc.tuple(...chosen.map(chooseLine)))
type ChosenLines = typeof chosenLines extends fc.Arbitrary<infer Lines> ? Lines : never

const writeBody = (wallet: string, lines: ChosenLines): string => {
  const list = lines.map(
    ({ product: { sku, productType }, quote, quantity }) =>
      `{"sku":"${sku}","productType":"${productType}","quote":${formatDecimal(quote)},"quantity":${quantity}}`,
  )
  return `{"productList":[${list}],"wallet":"${wallet}","reference":"a"}`
}

/** Checks the rules that hold for every invoice. */
const checkInvoice = ({ records, total, wallet }: Invoice): void => {
  for (const record of records) {
    const byCurrency = Map.groupBy(record.items, ({ effect }) => effect.currency)
    const sums = [...byCurrency].map(([currency, items]) => [
      currency,
      formatDecimal(sum(items.map(({ effect }) => effect.amount))),
    ])
    const totals = Object.entries(record.total).map(([currency, amount]) => [currency, formatDecimal(amount)])
    expect(sums).toEqual(totals)
    // The exchange items leave nothing in a different currency.
    const elsewhere = Object.entries(record.total).filter(([currency]) => currency !== wallet)
    expect(elsewhere.every(([, amount]) => amount.eq(zero))).toBe(true)
    for (const { effect } of record.items) {
      expect(formatDecimal(roundTo(effect.currency, effect.amount))).toBe(formatDecimal(effect.amount))
    }
  }
  const whole = sum(records.map((record) => record.total[wallet] ?? zero))
  expect(formatDecimal(total)).toBe(formatDecimal(whole))
}

describe('an invoice', () => {
  test('adds up for every order of the catalogue, and the wallet pays its total', async () => {
    const wallet = fc.constantFrom(...fundedWallets)
    const property = fc.asyncProperty(wallet, chosenLines, async (wallet, lines) => {
      fc.pre(lines.every(({ product }) => canExchange(product, wallet)))
      await using service = await openService()
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
      const body = writeBody(wallet, lines)
      const created = await service.raw('POST', '/order/create', { headers, body })
      const { data } = readValid(createResponse, readJson(created.text))
      checkInvoice(data.invoice)
      checkInvoice(data.retailInvoice)
      expect(data.invoice.records.map(({ sku }) => sku)).toEqual(lines.map(({ product }) => product.sku))

      const faceValues = lines.map(({ quote, quantity }) =>
        formatDecimal(quote.times(decimal(`${quantity}`))),
      )
      for (const { records } of [data.invoice, data.retailInvoice]) {
        expect(records.map(({ items }) => formatDecimal(items[0]?.effect.amount ?? zero))).toEqual(faceValues)
      }
      await service.confirm(data.id)
      const paid = roundTo(wallet, (wallets.get(wallet) ?? zero).minus(data.invoice.total))
      expect(formatDecimal(decimal(String(await service.balance(wallet))))).toBe(formatDecimal(paid))
      // The first get may respond 404, because the order may contain TEST-NOT-FOUND-LATER.
      await service.get(data.id)
      const kept = readValid(getResponse, readJson((await service.get(data.id)).text)).data.invoice
      expect(kept).toEqual({ ...data.invoice, status: 'paid' })
    })
    await fc.assert(property, { numRuns: isAllRun ? 150 : 30 })
  })

  test.each([
    ['RIDE-JP', 501, 'USD', { JPY: 0, USD: 3.41 }],
    ['GAME-JP', 3000, 'JPY', { JPY: 2970 }],
    ['MOBILE-KW', 1.115, 'USD', { KWD: 0, USD: 3.67 }],
    ['MUSIC-KW', 2.75, 'EUR', { KWD: 0, EUR: 8.29 }],
    ['GAME-DE', 20, 'GBP', { EUR: 0, GBP: 17.48 }],
  ])('for %s at %d from the wallet %s has the total %o', async (sku, quote, wallet, total) => {
    await using service = await openService()
    const { data } = await service.create([line(sku, { quote })], { wallet })
    expect(data.invoice.records[0].total).toEqual(total)
  })
})
