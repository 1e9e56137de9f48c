// The periods of budgets at their edges, in UTC whatever the time zone of the machine.
import { expect, test } from 'vitest'
import { findPeriod, type Period } from '../../../src/contract/time.ts'

test.each<[Period, string, string, string]>([
  ['day', '2026-11-22T00:00:00.000Z', '2026-11-22', '2026-11-23'],
  ['day', '2026-11-22T23:59:59.999Z', '2026-11-22', '2026-11-23'],
  ['day', '2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
  ['week', '2026-11-22T23:59:59.999Z', '2026-11-16', '2026-11-23'],
  ['week', '2026-11-23T00:00:00.000Z', '2026-11-23', '2026-11-30'],
  ['week', '2027-01-01T00:00:00.000Z', '2026-12-28', '2027-01-04'],
  ['month', '2026-11-01T00:00:00.000Z', '2026-11-01', '2026-12-01'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
])('the %s of %s is from %s until %s', (period, at, from, until) => {
  expect(findPeriod(period, Date.parse(at))).toEqual({ from: Date.parse(from), until: Date.parse(until) })
})
