import { expect, test } from 'vitest'
import { formatSafeTime } from '../../../src/contract/time.ts'

test.each([
  [undefined, undefined],
  [1_000, '1970-01-01T00:00:01Z'],
  [1_001, '1970-01-01T00:00:02Z'],
  [1_999, '1970-01-01T00:00:02Z'],
  [Number.NaN, 'an unknown time'],
])('what is safe from %s is never said to be safe before', (ms, expected) => {
  expect(formatSafeTime(ms)).toBe(expected)
})
