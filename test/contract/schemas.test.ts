// src/contract/schemas.ts
import { expect, test } from 'vitest'
import { readJson, writeJson } from '../../src/contract/json.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import { orderExample } from '../../src/contract/openapi/examples.ts'
import { collectViolations } from '../../src/contract/order/order-request.ts'
import { confirmRequest, invoiceItem, order } from '../../src/contract/schemas.ts'
import { amountShape, readAs, type Shape } from '../../src/contract/shape.ts'
import { formatViolation } from '../../src/contract/violations.ts'
import { readValid } from '../support/read-valid.ts'

/** Writes and reads the value, as for a response. */
const read = <Out>(shape: Shape<Out>, value: unknown): Out => readValid(shape, readJson(writeJson(value)))

const complaints = (shape: Shape<unknown>, value: unknown): string[] =>
  collectViolations(readAs(shape, value).issues ?? [], value).map(formatViolation)

const at = { _seconds: 1_784_894_400, _nanoseconds: 0 }

const goodOrder = orderExample.data
const goodInvoice = goodOrder.invoice
const goodProduct = goodOrder.products['GAME-DE']
const redeemPins = goodOrder.redeem['GAME-DE']

// The fuzz tests have other undocumented redeem data, and unknown values of open enumerations. The tests of the OpenAPI
// document have both documented shapes.
test('undocumented redeem data in a list is keyed by its SKUs, or by position', () => {
  const [a, b] = ['A', 'B'].map((sku) => ({ sku, redeemPin: ['1'] }))
  const redeem = [a, b, a, redeemPins]
  expect(read(order, { ...goodOrder, redeem }).redeem).toEqual(
    new Map<string, unknown>([
      ['A', [a, a]],
      ['B', b],
      ['3', redeemPins],
    ]),
  )
})

test('unknown fields are kept, at every depth', () => {
  const records = [{ total: {}, sku: 'A', items: [], note: null }]
  const createdDate = { ...at, iso: '2026' }
  const data = {
    ...goodOrder,
    channel: 'app',
    createdDate,
    invoice: { ...goodInvoice, taxes: [{ rate: 0.19 }], records },
  }
  const kept = read(order, data)
  expect([kept.channel, kept.invoice.taxes, kept.invoice.records[0]?.note, kept.createdDate.iso]).toEqual([
    'app',
    [{ rate: 0.19 }],
    null,
    '2026',
  ])
})

const item = (change: object) => ({
  type: 'cashback',
  description: '',
  effect: { amount: -1.5, currency: 'USD' },
  ...change,
})

test('an item of a different type needs no metaData, and an effect may be negative', () => {
  expect(read(invoiceItem, item({})).effect.amount).toEqual(decimal('-1.5'))
})

test.each<[string, unknown, boolean]>([
  ['a double', 0.1, true],
  ['a decimal', decimal('12345678901234567890.123'), true],
  ['a text', '25', false],
  ['NaN', Number.NaN, false],
  ['infinity', Number.POSITIVE_INFINITY, false],
  ['a number past all bounds', 1e300, false],
  ['null', null, false],
])('an amount given as %s is accepted: %s', (_, value, accepted) => {
  expect(readAs(amountShape, value).issues === undefined).toBe(accepted)
})

test('a SKU may be __proto__ or a number', () => {
  const [proto, seven] = ['__proto__', '7'].map((sku) => `"${sku}":${writeJson({ ...goodProduct, sku })}`)
  const { products } = readValid(order, { ...goodOrder, products: readJson(`{${proto},${seven}}`) })
  expect([...products.keys()].sort()).toEqual(['7', '__proto__'])
})

// faults/types.test.ts replaces each field of each response by each kind of value.
test.each([
  [{}, 'orderId is missing'],
  [{ orderId: '' }, 'orderId is ""'],
  [{ orderId: 7 }, 'orderId is 7'],
])('the confirm request %j is refused', (value, violation) => {
  expect(complaints(confirmRequest, value)).toEqual([`${violation}; allowed: an order id`])
})

test('at most a hundred issues are reported', () => {
  const exchangeRates = Array.from({ length: 10_000 }, () => ({}))
  expect(readAs(order, { ...goodOrder, exchangeRates }).issues?.length).toBe(100)
})

test('a field named __proto__ is kept in known and unknown objects', () => {
  const read = readValid(order, readJson(`${writeJson(goodOrder)?.slice(0, -1)},"__proto__":{"a":1}}`))
  expect(Object.getOwnPropertyDescriptor(read, '__proto__')?.value).toEqual({ a: 1 })
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
})
