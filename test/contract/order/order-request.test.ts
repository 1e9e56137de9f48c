// src/contract/order/order-request.ts
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson, writeJson } from '../../../src/contract/json.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { createOrderFileSchema } from '../../../src/contract/openapi/examples.ts'
import { checkOrderRequest } from '../../../src/contract/order/order-request.ts'
import { formatViolation } from '../../../src/contract/violations.ts'
import { rowsOf } from '../../support/rows.ts'

const goodLine = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }
const good = { productList: [goodLine], wallet: 'USD', reference: 'PO-1042' }

/** The valid order with some fields replaced. */
const order = (change: object): unknown => ({ ...good, ...change })
const line = (change: object): unknown => order({ productList: [{ ...goodLine, ...change }] })
const lines = (count: number, change: object = {}): unknown =>
  order({
    productList: Array.from({ length: count }, (_, n) => ({ ...goodLine, sku: `SKU-${n}`, ...change })),
  })

const complaints = (document: unknown, unknownFields: 'refused' | 'overlooked' = 'refused'): string[] => {
  const checked = checkOrderRequest(document, unknownFields)
  return checked.violations.map(formatViolation)
}

const quantity = 'allowed: a whole number from 1 to 5'
const amount = 'allowed: a number above 0, such as 25 or 12.50'
const plain = 'not empty, without control characters'
const type = 'allowed: a product type such as fixed or range'
const sku = `allowed: a product identifier, ${plain}`
const reference = `allowed: a reference of your own, ${plain}`
const address = 'allowed: an http or https address'
const currencyRule = 'allowed: a currency code of 2 to 12 letters and digits, such as USD'
const orderFields = 'allowed: productList, wallet, reference, webhookUrl'
const lineFields = 'allowed: sku, productType, quote, quantity'
const mixed = 'an order takes one quote and at most 5 units of each SKU; use a batch'
const tooMany = 'allowed: at most 25 units in one order'

/** JSON, or the good order with some fields replaced: `order {…}`, or `line {…}` for its line. */
const documentOf = (text: string): unknown => {
  const [, what, change = ''] = /^(order|line) (.*)$/s.exec(text) ?? []
  if (what === undefined) return readJson(text)
  return what === 'order' ? order(JSON.parse(change)) : line(JSON.parse(change))
}

/** What is wrong, the document, and its violations, divided by ` & `. */
const casesOf = (table: string): [string, unknown, string[]][] =>
  rowsOf(table).map(([name = '', text = '', violations = '']) => [
    name,
    documentOf(text),
    violations.split(' & '),
  ])

const twoLines = '{ "sku": "A", "productType": "fixed", "quote": 0, "quantity": 6 }'
const wrong: [string, unknown, string[]][] = [
  ...casesOf(String.raw`
    null | null | the document is null; allowed: a JSON object
    a list | [] | the document is []; allowed: a JSON object
    an empty object | {} | productList is missing; allowed: a list of products & wallet is missing; ${currencyRule} \
      & reference is missing; allowed: a reference of your own
    no list | order {"productList": null} | productList is null; allowed: a list of products
    an empty list | order {"productList": []} | productList is []; allowed: at least one product
    lines that are none | order {"productList": [null, 5, []]} | productList[0] is null; allowed: a JSON object \
      & productList[1] is 5; allowed: a JSON object & productList[2] is []; allowed: a JSON object
    an empty line | order {"productList": [{}]} | productList[0].sku is missing; allowed: a product identifier \
      & productList[0].productType is missing; ${type} & productList[0].quote is missing; ${amount} \
      & productList[0].quantity is missing; ${quantity}
    a number as SKU | line {"sku": 1001} | productList[0].sku is 1001; allowed: a product identifier
    an empty SKU | line {"sku": ""} | productList[0].sku is ""; ${sku}
    no product type | line {"productType": false} | productList[0].productType is false; ${type}
    an empty product type | line {"productType": ""} | productList[0].productType is ""; ${type}, ${plain}
    a quote of nothing | line {"quote": 0} | productList[0].quote is 0; allowed: a number above 0
    a negative quote | line {"quote": -25} | productList[0].quote is -25; allowed: a number above 0
    a quote as text | line {"quote": "25"} | productList[0].quote is "25"; ${amount}
    no quote | line {"quote": null} | productList[0].quote is null; ${amount}
    a quantity of nothing | line {"quantity": 0} | productList[0].quantity is 0; ${quantity}
    a broken quantity | line {"quantity": 1.5} | productList[0].quantity is 1.5; ${quantity}
    a quantity as text | line {"quantity": "2"} | productList[0].quantity is "2"; ${quantity}
    a quantity of six | line {"quantity": 6} | productList[0].quantity is 6; ${quantity}
    a quantity past all | line {"quantity": 26} | productList[0].quantity is 26; ${quantity} \
      & productList is 26 units in all; ${tooMany}
    a wallet of one letter | order {"wallet": "u"} | wallet is "u"; ${currencyRule}
    a wallet with space | order {"wallet": "US D"} | wallet is "US D"; ${currencyRule}
    no reference | order {"reference": null} | reference is null; allowed: a reference of your own
    an empty reference | order {"reference": ""} | reference is ""; ${reference}
    no address | order {"webhookUrl": null} | webhookUrl is null; ${address}
    an empty address | order {"webhookUrl": ""} | webhookUrl is ""; ${address}, ${plain}
    an unknown field | order {"note": "x"} | unknown field 'note'; ${orderFields}
    a misspelt field | order {"walet": "x"} | unknown field 'walet' (did you mean wallet?)
    a misspelt field in a line | line {"quanttiy": 2} | unknown field 'productList[0].quanttiy' (did you mean quantity?)
    an unknown field in a line | line {"qty": 2} | unknown field 'productList[0].qty'; ${lineFields}
    a blank SKU | line {"sku": "  "} | productList[0].sku is "  "; ${sku}
    a blank reference | order {"reference": "\u00a0 "} | reference is "${'\u00a0'} "; ${reference}
    a different scheme | order {"webhookUrl": "ftp://x"} | webhookUrl is "ftp://x"; ${address}
    wrong all over | {"productList": [${twoLines}, {"sku": "A", "productType": "fixed", "quote": 25, "quantity": 20, \
      "colour": "red"}, null], "wallet": "u", "webhookUrl": "shop.example"} \
      | productList[0].quote is 0; allowed: a number above 0 & productList[0].quantity is 6; ${quantity} \
      & productList[1].quantity is 20; ${quantity} & unknown field 'productList[1].colour'; ${lineFields} \
      & productList[2] is null; allowed: a JSON object & wallet is "u"; ${currencyRule} \
      & reference is missing; allowed: a reference of your own & webhookUrl is "shop.example"; ${address} \
      & A is listed twice; ${mixed} & productList is 26 units in all; ${tooMany}
  `),
  [
    'six SKUs of five each',
    lines(6, { quantity: 5 }),
    [
      'productList is 6 lines; allowed: at most 5 SKUs in one order',
      `productList is 30 units in all; ${tooMany}`,
    ],
  ],
  [
    'one SKU twice, without quantities',
    lines(2, { sku: 'GAME-US', quantity: undefined }),
    [
      ...[0, 1].map((index) => `productList[${index}].quantity is missing; ${quantity}`),
      'GAME-US is listed twice; use one line',
    ],
  ],
  [
    '__proto__ as field',
    readJson(writeJson(good).replace('{', '{"__proto__":1,')),
    [`unknown field '__proto__'; ${orderFields}`],
  ],
]

/** What JSON Schema cannot express: that a field is unique, and which texts are valid. */
const beyondSchema: typeof wrong = [
  ...casesOf(String.raw`
    a SKU of two lines | line {"sku": "A\nB"} | productList[0].sku is "A\nB"; ${sku}
    a SKU with a C1 control | line {"sku": "A\u009b"} | productList[0].sku is "A${'\u009b'}"; ${sku}
    half a character in a SKU | line {"sku": "\ud83d"} | productList[0].sku is "\ud83d"; ${sku}
    a quote past all bounds | line {"quote": 1e300} | productList[0].quote is 1e+300; ${amount}
    a reference with a tab | order {"reference": "a\tb"} | reference is "a\tb"; ${reference}
    an address without host | order {"webhookUrl": "https://"} | webhookUrl is "https://"; ${address}
  `),
  ['one SKU three times', lines(3, { sku: 'GAME-US' }), [`GAME-US is listed 3 times; ${mixed}`]],
  [
    'one SKU with more units than allowed',
    lines(2, { sku: 'GAME-US', quantity: 3 }),
    [`GAME-US is listed twice; ${mixed}`],
  ],
  [
    'one SKU of two types',
    order({ productList: [goodLine, { ...goodLine, productType: 'other' }] }),
    [`${goodLine.sku} is listed twice; ${mixed}`],
  ],
  [
    '__proto__ twice',
    lines(2, { sku: '__proto__' }),
    ['__proto__ is listed twice; use one line with quantity 4'],
  ],
]

const right: [string, unknown][] = [
  ['the least of an order', good],
  ['a webhook address', order({ webhookUrl: 'https://shop.example:8443/orders?from=us#1' })],
  ['a loopback address in currencyRules', order({ webhookUrl: 'HTTP://127.0.0.1:9/' })],
  ['five SKUs of five each', lines(5, { quantity: 5 })],
  ['a quote with many digits', line({ quote: 0.123456789012 })],
  ['an undocumented product type', line({ productType: 'subscription' })],
  ['__proto__ as SKU', line({ sku: '__proto__' })],
  ['a number in a text as SKU', line({ sku: '1001' })],
  ['any writing', order({ reference: 'Bestellung №7 — 注文 👩‍👩‍👧' })],
  ['a wallet of points', order({ wallet: 'POINTS2' })],
]

test.each([...wrong, ...beyondSchema])('%s is reported with all violations', (_, document, texts) => {
  expect(complaints(document)).toEqual(texts)
})

test.each(right)('%s is accepted', (_, document) => {
  expect(complaints(document)).toEqual([])
})

test('the checked request has exact amounts', () => {
  const document = readJson(
    '{"productList":[{"sku":"RIDE-JP","productType":"range","quote":0.10,"quantity":1.0}],"wallet":"USD","reference":"r"}',
  )
  expect(checkOrderRequest(document, 'refused')).toEqual({
    violations: [],
    request: {
      productList: [{ sku: 'RIDE-JP', productType: 'range', quote: decimal('0.10'), quantity: 1 }],
      wallet: 'USD',
      reference: 'r',
    },
  })
})

test('a service ignores only unknown fields', () => {
  expect(complaints(order({ note: 'x' }), 'overlooked')).toEqual([])
  expect(complaints(line({ qty: 2, quantity: 6 }), 'overlooked')).toEqual([
    `productList[0].quantity is 6; ${quantity}`,
  ])
})

test('a document is accepted or has violations, and nothing is thrown', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('USD', 'GAME-US', 25, 2))
  const anyLine = fc.record(
    { sku: value, productType: value, quote: value, quantity: value },
    { requiredKeys: [] },
  )
  const document = fc.oneof(
    fc.jsonValue(),
    fc.record({ productList: fc.oneof(value, fc.array(anyLine)), wallet: value, reference: value }),
  )
  fc.assert(
    fc.property(document, (any) => {
      const checked = checkOrderRequest(any, 'refused')
      expect(checked.request === undefined).toBe(checked.violations.length > 0)
    }),
  )
})

describe('the JSON Schema of the order file', () => {
  // x-spec-silent is an annotation.
  const ajv = new Ajv2020({ allErrors: true, validateFormats: false, keywords: ['x-spec-silent'] })
  const accepts = ajv.compile(createOrderFileSchema())

  const accepted = [...right, ...beyondSchema].map(([name, document]) => ({ name, document }))
  test.each(accepted)('accepts $name', ({ document }) => {
    expect(accepts(document), ajv.errorsText(accepts.errors)).toBe(true)
  })

  test.each(wrong)('rejects %s', (_, document) => {
    expect(accepts(document)).toBe(false)
  })
})
