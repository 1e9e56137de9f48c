// What a response to a webhook means for the next attempt.
import { expect, test } from 'vitest'
import { chooseRetry } from '../../../src/service/webhooks/retry-rule.ts'

const now = Date.UTC(2026, 6, 24, 12)

test.each([
  [429, '7', 7_000],
  [429, ' 7 ', 7_000],
  [503, '7', 7_000],
  [429, 'Fri, 24 Jul 2026 12:00:30 GMT', 30_000],
  [429, 'Fri, 24 Jul 2026 11:59:30 GMT', 0],
  [429, '0', 0],
  [429, '600', 600_000],
  [429, '601', 600_000],
  [503, '999999999999', 600_000],
  [429, 'Fri, 24 Jul 2099 12:00:30 GMT', 600_000],
  [429, undefined, 0],
  [429, '', 0],
  [429, 'soon', 0],
  [429, '-5', 0],
  [500, '7', 0],
  [404, '7', 0],
])(
  'a response %i with Retry-After %j delays the next attempt by at least %i ms',
  (status, retryAfter, ms) => {
    expect(chooseRetry({ status, retryAfter }, now)).toEqual({ canRetry: true, leastDelayMs: ms })
  },
)

test('a response 410 ends the attempts', () => {
  expect(chooseRetry({ status: 410, retryAfter: '7' }, now)).toEqual({ canRetry: false, leastDelayMs: 0 })
})
