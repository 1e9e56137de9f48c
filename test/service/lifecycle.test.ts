// How an order ends, and when.
import { expect, test } from 'vitest'
import {
  canEndAs,
  decideOutcome,
  type ForcedOutcome,
  type OutcomeLine,
  scheduleOutcome,
} from '../../src/service/lifecycle.ts'

const good: OutcomeLine = { sku: 'good' }
const fails: OutcomeLine = { sku: 'fails', behaviour: 'fail' }
const short: OutcomeLine = { sku: 'short', short: true }
const slow: OutcomeLine = { sku: 'slow', behaviour: 'slow' }
const reject: OutcomeLine = { sku: 'reject', behaviour: 'reject' }
const odd: OutcomeLine = { sku: 'odd', behaviour: 'odd-state' }

const decide = (lines: readonly OutcomeLine[], forced?: ForcedOutcome) => {
  const { state, delivered, refunded } = decideOutcome(lines, forced)
  return [state, [...delivered].join(), [...refunded].join()]
}

test.each<[OutcomeLine[], ForcedOutcome | undefined, string, string, string]>([
  [[good], undefined, 'successful', 'good', ''],
  [[good, slow], undefined, 'successful', 'good,slow', ''],
  [[good, fails], undefined, 'partial', 'good', 'fails'],
  [[good, short], undefined, 'partial', 'good', 'short'],
  [[fails, short], undefined, 'failed', '', 'fails,short'],
  [[good, fails, reject], undefined, 'rejected', '', 'good,fails,reject'],
  [[good, reject, odd], undefined, 'rejected', '', 'good,reject,odd'],
  [[good, fails, odd], undefined, 'under-review', '', ''],
  [[fails, odd], 'successful', 'successful', 'fails,odd', ''],
  [[short, good], 'successful', 'successful', 'short,good', ''],
  [[good, reject], 'successful', 'successful', 'good,reject', ''],
  [[good, slow], 'failed', 'failed', '', 'good,slow'],
  [[good, slow], 'partial', 'partial', 'good', 'slow'],
  [[fails, good, slow], 'partial', 'partial', 'good,slow', 'fails'],
  [[fails, short], 'partial', 'partial', 'fails', 'short'],
  [[good, odd], 'rejected', 'rejected', '', 'good,odd'],
])('lines %j with the forced outcome %s end as %s', (lines, forced, state, delivered, refunded) => {
  expect(decide(lines, forced)).toEqual([state, delivered, refunded])
})

test.each([
  [[good], 2_000, 500, 2_000],
  [[good], 0, 0, 0],
  [[good], 3, 0, 3],
  [[good, slow], 2_000, 15_000, 60_000],
  [[slow], 120_000, 30_000, 120_000],
])(
  'lines %j with a processing time of %d ms are processing after %d ms and final after %d ms',
  (lines, processingMs, processing, final) => {
    const times = { confirmedAt: 1_000, processingAt: 1_000 + processing, finalAt: 1_000 + final }
    expect(scheduleOutcome(1_000, processingMs, lines)).toEqual(times)
  },
)

test('only an order with several SKUs can be partial', () => {
  expect([canEndAs('partial', [good]), canEndAs('partial', [good, fails])]).toEqual([false, true])
  expect(canEndAs('failed', [good])).toBe(true)
})
