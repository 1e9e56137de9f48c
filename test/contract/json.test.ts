// src/contract/json.ts and src/contract/money/decimal.ts
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonError, jsonLimits, readJson, writeJson } from '../../src/contract/json.ts'
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
import { isAllRun } from '../support/cases.ts'

const bytes = (...values: (number | string)[]): Uint8Array =>
  Buffer.concat(values.map((value) => Buffer.from(typeof value === 'number' ? [value] : value)))

const complaint = (source: string | Uint8Array, limits = jsonLimits): string => {
  try {
    readJson(source, limits)
  } catch (error) {
    if (error instanceof JsonError) return error.message
    throw error
  }
  return 'no complaint'
}

/** Like JSON.parse: converts each number to a double. */
const doubled = (value: unknown): unknown => {
  if (isDecimal(value)) return Number(formatDecimal(value))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(doubled)
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, doubled(entry)]))
}

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const deepLimits = { ...jsonLimits, maxDepth: 1000 }

describe('any text', () => {
  const digits = fc.stringMatching(/^-?\d{1,25}(\.\d{1,25})?([eE][+-]?\d{1,3})?$/)
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '}', ']', '"', '\\', '\u0000', '1', 'e', '-', '\ufeff'),
    )
    .map(([text, at, mark]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + mark + text.slice(place + (at % 2))
    })
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), digits, broken)
  const ownReasons = /^contains a number out of range|^contains the key .* twice|^is nested deeper/

  test('is read as JSON.parse reads it, or rejected by a stricter rule', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const wanted = parsed(text.replace(/^\ufeff/, ''))
        const reason = complaint(text)
        if (reason === 'no complaint')
          expect(isDeepStrictEqual(doubled(readJson(text)), wanted?.value)).toBe(true)
        else if (wanted) expect(reason).toMatch(ownReasons)
      }),
      { numRuns: isAllRun ? 3_000 : 500 },
    )
  })

  test('written from a value is read back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const wanted = JSON.parse(JSON.stringify(value))
        expect(isDeepStrictEqual(readJson(writeJson(value, indent), deepLimits), wanted)).toBe(true)
      }),
      { numRuns: isAllRun ? 1_000 : 200 },
    )
  })

  test('of a number keeps its exact value', () => {
    fc.assert(
      fc.property(digits, (text) => {
        const wanted = parseDecimal(text)
        if (wanted === undefined || !parsed(text)) return
        const value = readJson(`[${text}]`) as unknown[]
        const kept = isDecimal(value[0]) ? value[0] : parseDecimal(String(value[0]))
        expect(kept?.eq(wanted)).toBe(true)
        expect(parseDecimal(writeJson(value).slice(1, -1))?.eq(wanted)).toBe(true)
      }),
      { numRuns: isAllRun ? 2_000 : 400 },
    )
  })
})

test.each([
  ['25', 25],
  ['25.00', 25],
  ['0.1', 0.1],
  ['1e2', 100],
  ['-0', -0],
  ['9007199254740993', decimal('9007199254740993')],
  ['0.1000000000000000055511151231257827', decimal('0.1000000000000000055511151231257827')],
])('the number %s is a double if that is exact, otherwise a decimal', (text, value) => {
  expect(readJson(text)).toEqual(value)
})

test('only a leading byte order mark is ignored', () => {
  expect(readJson('\ufeff{}')).toEqual({})
  expect(readJson(bytes(0xef, 0xbb, 0xbf, '{}'))).toEqual({})
  expect(complaint('{\ufeff}')).toBe('is not valid JSON: expected a key in double quotes at line 1, column 2')
})

test('a lone surrogate is valid only as an escape', () => {
  expect(readJson('"\\ud800"')).toBe('\ud800')
  expect(writeJson('\ud800')).toBe('"\\ud800"')
  expect(complaint(bytes('"', 0xed, 0xa0, 0x80, '"'))).toBe('is not UTF-8 text')
})

test.each<[string, string | Uint8Array, string]>([
  ['nothing', '', 'expected a value at the end'],
  ['an open list', '[1, 2', "expected ',' or ']' at the end"],
  ['a missing colon', '{"a" 1}', "expected ':' at line 1, column 6"],
  ['a key without quotes', '{a: 1}', 'expected a key in double quotes at line 1, column 2'],
  ['a wrong word', '{\n  "a": 1,\n  "b": tru\n}', 'expected a value at line 3, column 8'],
  ['a second value', '1\n2', 'expected the end of the text at line 2, column 1'],
  ['NaN', '[NaN]', 'expected a value at line 1, column 2'],
  ['a wrong escape', '"\\x41"', 'expected a string at line 1, column 1'],
  ['a no-break space', '[\u00a01]', 'expected a value at line 1, column 2'],
  ['a number past all bounds', '[1,\n 1e999]', 'contains a number out of range at line 2, column 2'],
  ['a number of 61 digits', '1'.repeat(61), 'contains a number out of range at line 1, column 1'],
  ['a key twice', '{"a":1,\n"a":2}', 'contains the key "a" twice in one object, at line 2, column 1'],
  [
    'a key twice by escape',
    '{"a":1,"\\u0061":2}',
    'contains the key "a" twice in one object, at line 1, column 8',
  ],
  [
    '__proto__ twice',
    '{"__proto__":1,"__proto__":1}',
    'contains the key "__proto__" twice in one object, at line 1, column 16',
  ],
  ['a truncated character', bytes('"', 0xe2, 0x82), 'is not UTF-8 text'],
  ['an overlong character', bytes('"', 0xc0, 0xaf, '"'), 'is not UTF-8 text'],
  ['UTF-16', bytes(0xff, 0xfe, '{', 0, '}', 0), 'is not UTF-8 text'],
])('%s is rejected, and the message gives the position', (_, source, message) => {
  expect(complaint(source)).toBe(message.replace(/^expected/, 'is not valid JSON: expected'))
})

describe('limits', () => {
  const nested = (depth: number, core = ''): string => '['.repeat(depth) + core + ']'.repeat(depth)

  test.each(['', '1', '{}'])('the depth does not depend on the innermost value: %j', (core) => {
    const own = core === '{}' ? 1 : 0
    expect(complaint(nested(32 - own, core))).toBe('no complaint')
    expect(complaint(nested(33 - own, core))).toBe('is nested deeper than 32 levels')
  })

  test('the size is checked before the text is read', () => {
    const small = { maxBytes: 10, maxDepth: 32 }
    expect(complaint('"12345678"', small)).toBe('no complaint')
    expect(complaint('"123456789"', small)).toBe('is larger than 10 bytes')
    expect(complaint(bytes(0xff), { ...small, maxBytes: 0 })).toBe('is larger than 0 bytes')
  })

  test.each([
    ['letters', 'a', 'a'],
    ['escapes', '\\n', '\n'],
    ['both in turn', 'a\\u00e9\\"', 'aé"'],
  ])('a string of 2 MB of %s is read completely', (_, source, wanted) => {
    const count = Math.floor((jsonLimits.maxBytes - 2) / source.length)
    expect(readJson(`"${source.repeat(count)}"`) === wanted.repeat(count)).toBe(true)
  })

  test('an unterminated string of 2 MB is rejected', () => {
    const text = `"${'\\n'.repeat(jsonLimits.maxBytes / 2 - 1)}`
    expect(complaint(text)).toBe('is not valid JSON: expected a string at line 1, column 1')
  })
})

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
