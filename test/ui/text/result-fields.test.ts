// JSON for stdout: exact numbers, selected fields, and amounts with the digits of their currency.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFields } from '../../../src/cli/flags.ts'
import { readJson } from '../../../src/contract/json.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { formatMoney, formatNumber } from '../../../src/ui/text/formats.ts'
import { renderJson } from '../../../src/ui/text/result-fields.ts'

const document = readJson(`{
  "uid": "ord_1",
  "new\u202efield": "a\u202eb 👨\u200d👩 \u009b31m",
  "invoice": { "total": 0.10000000000000000001, "records": [{ "sku": "A", "n": 1 }, { "sku": "B" }], "none": [] },
  "products": { "A.B": { "sku": "A.B" }, "A": { "C": 1 }, "__proto__": { "sku": "p" }, "x,y": { "sku": "xy" } },
  "redeem": { "A.B": { "redeemPin": ["ZQ9X-77WK-CANA-RY42"], "value": 20 } }
}`)

const narrowed = (fields: string): unknown =>
  JSON.parse(renderJson(document, { fields: parseFields(fields), oneLine: true }))

describe('JSON', () => {
  test('is indented, exact, and its unsafe characters escaped', () => {
    const text = renderJson(document)
    expect(text).toContain('\n    "total": 0.10000000000000000001,\n')
    expect(text).toContain('"new\\u202efield": "a\\u202eb 👨\\u200d👩 \\u009b31m"')
    expect(text.endsWith('}\n')).toBe(true)
  })

  test('is one line for streams, with Maps as objects', () => {
    expect(renderJson(new Map([['a', decimal('1.10')]]), { oneLine: true })).toBe('{"a":1.1}\n')
  })

  test('escapes a character beyond U+FFFF as a surrogate pair', () => {
    expect(renderJson('\u{e0041}')).toBe('"\\udb40\\udc41"\n')
  })
})

describe('--fields', () => {
  test.each([
    ['uid', { uid: 'ord_1' }],
    ['invoice.records.sku', { invoice: { records: [{ sku: 'A' }, { sku: 'B' }] } }],
    ['invoice.none.anything', { invoice: { none: [] } }],
    ['products["A.B"]', { products: { 'A.B': { sku: 'A.B' } } }],
    ['products["x,y"].sku,uid', { uid: 'ord_1', products: { 'x,y': { sku: 'xy' } } }],
  ])('%s', (fields, value) => {
    expect(narrowed(fields)).toEqual(value)
  })

  test('takes products called __proto__', () => {
    const text = renderJson(document, { fields: parseFields('products.__proto__.sku'), oneLine: true })
    expect(text).toBe('{"products":{"__proto__":{"sku":"p"}}}\n')
  })

  const allFields = 'Choose from: uid, new\\u{202e}field, invoice, products, redeem'
  const paths = 'Write paths such as id,total or service.products["A.B"].sku.'
  test.each([
    ['invoce', "--fields: no field 'invoce'", allFields],
    ['uid,invoice.x.y', "--fields: no field 'x.y' in 'invoice'", 'Choose from: total, records, none'],
    ['constructor', "--fields: no field 'constructor'", allFields],
    ['uid,', '--fields ends with a comma', 'Write paths such as id,total.'],
    ['a..b', "--fields: cannot read 'a..b'", paths],
    ['a["b', "--fields: cannot read '[\"b'", paths],
    ['a["\\x"]', '--fields: "\\x" is not a valid JSON string', undefined],
  ])('%j is refused', (fields, message, advice) => {
    const wanted = { kind: 'usage', message, details: expect.objectContaining(advice ? { advice } : {}) }
    expect(() => narrowed(fields)).toThrow(expect.objectContaining(wanted))
  })
})

test.each([
  ['1234.5', 'USD', '1,234.50 USD'],
  ['-0', 'USD', '0.00 USD'],
  ['-1234567.8', 'EUR', '-1,234,567.80 EUR'],
  ['3000', 'JPY', '3,000 JPY'],
  ['0.5', 'KWD', '0.500 KWD'],
  ['1.23456', 'USD', '1.23456 USD'],
  ['9007199254740993', 'USD', '9,007,199,254,740,993.00 USD'],
  ['5', 'X\u202eY', '5.00 X\\u{202e}Y'],
])('%s %s is shown as %s', (amount, currency, shown) => {
  expect(formatMoney(decimal(amount), currency)).toBe(shown)
})

test('a rate has no added digits', () => {
  expect(['1.0842', '2'].map((rate) => formatNumber(decimal(rate)))).toEqual(['1.0842', '2'])
})

test('the text of any amount parses to the same amount', () => {
  const amount = fc
    .tuple(fc.bigInt({ min: -(10n ** 28n), max: 10n ** 28n }), fc.integer({ min: 0, max: 25 }))
    .map(([whole, exponent]) => decimal(`${whole}e-${exponent}`))
  fc.assert(
    fc.property(amount, fc.constantFrom('USD', 'JPY', 'KWD', 'XTS'), (value, currency) => {
      const [number = '', code] = formatMoney(value, currency).split(' ')
      expect(code).toBe(currency)
      expect(decimal(number.replaceAll(',', '')).eq(value)).toBe(true)
    }),
  )
})
