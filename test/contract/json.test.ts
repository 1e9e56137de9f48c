// src/contract/json.ts
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonError, jsonLimits, readJson, writeJson } from '../../src/contract/json.ts'
import { decimal, formatDecimal, isDecimal, parseDecimal } from '../../src/contract/money/decimal.ts'
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
