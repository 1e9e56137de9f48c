// Amounts are exact, with the digits of their currency.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { formatMoney, formatNumber } from '../../../src/ui/text/formats.ts'

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
