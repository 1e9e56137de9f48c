// src/contract/money/decimal.ts
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Decimal,
  decimal,
  formatDecimal,
  formatMillionths,
  fromMinor,
  getMinorDigits,
  isDecimal,
  isLimit,
  parseDecimal,
  roundTo,
  sum,
  toMillionths,
  toMinor,
  uncountable,
} from '../../src/contract/money/decimal.ts'

const textOf = (value: Decimal | undefined) => value && formatDecimal(value)

test.each([
  ['0', '0'],
  ['-0', '0'],
  ['-3.50', '-3.5'],
  ['12345678901234567890.123456789', '12345678901234567890.123456789'],
  ['1.5E-3', '0.0015'],
  ['1e+30', `1${'0'.repeat(30)}`],
  ['9'.repeat(60), '9'.repeat(60)],
  ['1e-58', `0.${'0'.repeat(57)}1`],
])('%s is read as %s', (text, value) => {
  expect(textOf(parseDecimal(text))).toBe(value)
})

test.each([
  ...['', ' 1', '1 ', '+1', '01', '.5', '1.', '1e', '1,5', '0x10', 'NaN', 'Infinity', '1_000', '١'],
  ...['1e60', '1e-59', '12e-59', '1e999', '1e1000', '9'.repeat(61), `0.${'0'.repeat(59)}`],
])('%j is not a valid amount', (text) => {
  expect(parseDecimal(text)).toBeUndefined()
  expect(() => decimal(text)).toThrow(new RangeError(`not a decimal: ${text}`))
})

test('a sum of decimals is exact, unlike a sum of floats', () => {
  expect(textOf(sum([decimal('0.1'), decimal('0.2')]))).toBe('0.3')
  expect(textOf(sum([]))).toBe('0')
})

test('a calculation rejects floats', () => {
  expect(() => decimal('1').plus(0.1)).toThrow(TypeError)
})

test('only a Decimal is a decimal', () => {
  expect([decimal('1'), 1, '1', null, undefined].map(isDecimal)).toEqual([true, false, false, false, false])
})

test('a currency has its minor digits, an unknown one has two', () => {
  const currencies = ['USD', 'JPY', 'KWD', 'CLF', 'XXX', 'POINTS', '__proto__']
  expect(currencies.map(getMinorDigits)).toEqual([2, 0, 3, 4, 2, 2, 2])
})

test.each([
  ['USD', '1.005', '1.01'],
  ['USD', '-1.005', '-1.01'],
  ['JPY', '0.5', '1'],
  ['KWD', '1.2345', '1.235'],
])('in %s, %s is rounded to %s', (currency, value, rounded) => {
  expect(textOf(roundTo(currency, decimal(value)))).toBe(rounded)
})

test.each<[string, string, number | undefined]>([
  ['USD', '12.34', 1234],
  // Not a safe integer.
  ['USD', '0.001', undefined],
  ['JPY', '0.5', undefined],
  ['USD', '90071992547409.92', undefined],
])('in %s, %s is %i minor units', (currency, value, minor) => {
  const convert = () => toMinor(currency, decimal(value))
  if (minor !== undefined) expect(convert()).toBe(minor)
  else expect(convert).toThrow(new RangeError(`not a whole number of minor units: ${value} ${currency}`))
})

test('a conversion to minor units and back keeps the value', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.constantFrom('USD', 'JPY', 'KWD'), (minor, currency) => {
      expect(toMinor(currency, fromMinor(currency, minor))).toBe(minor)
    }),
  )
})

test('a written amount is read back as the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(15), (digits, places) => {
      const text = formatDecimal(
        decimal(`${digits}`)
          .div(decimal(`1e${places}`))
          .round(15),
      )
      expect(textOf(parseDecimal(text))).toBe(text)
    }),
  )
})

test('JSON has the exact digits', () => {
  const values = ['0.1', '-12345678901234567890.5', '1e3'].map(decimal)
  expect(JSON.stringify({ values })).toBe('{"values":[0.1,-12345678901234567890.5,1000]}')
})

test('against limits, an amount counts as the least number of millionths that is not below it', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 12n), digits, (whole, fraction) => {
      const exact = decimal(`${whole}.${fraction}`)
      const counts = decimal(formatMillionths(toMillionths(`${whole}.${fraction}`) ?? -1n))
      expect(counts.gte(exact) && counts.minus(exact).lt('0.000001')).toBe(true)
      expect(isLimit(`${whole}.${fraction}`)).toBe(fraction.length <= 6)
    }),
  )
})

test.each(['', '-1', '1e3', '01', '.5', '5.', '1,5', ' 1', '1\n', '25 USD'])('%j is no amount', (text) => {
  expect([toMillionths(text), isLimit(text)]).toEqual([undefined, false])
})

test('an amount that is too large counts as uncountable, and is no limit', () => {
  const amounts = ['8999999999999.999999', '9000000000000', `1${'0'.repeat(59)}`]
  expect(amounts.map(toMillionths)).toEqual([uncountable - 1n, uncountable, uncountable])
  expect(amounts.map(isLimit)).toEqual([true, false, false])
})
