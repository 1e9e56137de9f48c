// What amounts count as against limits.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decimal,
  formatMillionths,
  isLimit,
  toMillionths,
  uncountable,
} from '../../src/contract/money/decimal.ts'

test.each([
  ['0', 0n],
  ['25', 25_000_000n],
  ['0.0000001', 1n],
  ['8999999999999.999999', uncountable - 1n],
  ['9000000000000', uncountable],
  [`1${'0'.repeat(59)}`, uncountable],
])('%s counts as %s', (amount, expected) => {
  expect(toMillionths(amount)).toBe(expected)
})

test.each(['', '-1', '1e3', '01', '.5', '5.', '1,5', ' 1', '1\n', '25 USD'])('%j is no amount', (text) => {
  expect(toMillionths(text)).toBeUndefined()
})

test.each([
  ['0.000001', true],
  ['0.0000001', false],
  ['8999999999999.999999', true],
  ['9000000000000', false],
  ['-1', false],
])('whether %s can be a limit: %s', (amount, expected) => {
  expect(isLimit(amount)).toBe(expected)
})

test('an amount counts as the least number of millionths that is not below it', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 12n), digits, (whole, fraction) => {
      const exact = decimal(`${whole}.${fraction}`)
      const counts = decimal(formatMillionths(toMillionths(`${whole}.${fraction}`) ?? -1n))
      expect(counts.gte(exact) && counts.minus(exact).lt('0.000001')).toBe(true)
    }),
  )
})
