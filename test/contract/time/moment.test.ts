// src/cli/read-moment.ts, and times from which ordering again is safe
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseMoment } from '../../../src/cli/read-moment.ts'
import { formatSafeTime } from '../../../src/contract/time.ts'

const now = Date.parse('2026-11-22T12:00:00Z')

/** Without a time zone, UTC. */
const format = (text: string, timeZone?: string): string | undefined => {
  const span = parseMoment(text, { now, isUtc: timeZone === undefined })
  return span && `${new Date(span.from).toISOString()} ${new Date(span.until).toISOString()}`
}

test.each([
  ['30d', '2026-10-23T12:00:00.000Z 2026-10-23T12:00:00.000Z'],
  ['0', '2026-11-22T12:00:00.000Z 2026-11-22T12:00:00.000Z'],
  ['2026-11-01', '2026-11-01T00:00:00.000Z 2026-11-02T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z 2024-03-01T00:00:00.000Z'],
  ['2026-11-01 14:30', '2026-11-01T14:30:00.000Z 2026-11-01T14:31:00.000Z'],
  ['2026-11-01t14:30:05z', '2026-11-01T14:30:05.000Z 2026-11-01T14:30:06.000Z'],
  ['2026-11-01 14:30:05.250', '2026-11-01T14:30:05.250Z 2026-11-01T14:30:05.251Z'],
  ['2026-11-01 14:30 +0100', '2026-11-01T13:30:00.000Z 2026-11-01T13:31:00.000Z'],
  ['2026-11-01T14:30-05:30', '2026-11-01T20:00:00.000Z 2026-11-01T20:01:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(format(text)).toBe(expected)
})

test.each([
  // Clocks are set forward on 29 March and back on 25 October: these days have 23 and 25 hours.
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z 2026-03-29T22:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z 2026-10-25T23:00:00.000Z'],
  // Clocks never showed 02:30, and showed 02:30 twice.
  ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z 2026-03-29T01:31:00.000Z'],
  ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z 2026-10-25T00:31:00.000Z'],
  // The day began at 01:00.
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z 2018-11-05T02:00:00.000Z'],
  // The whole day was skipped.
  ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z 2011-12-30T10:00:00.000Z'],
  ['0001-01-01', 'America/New_York', '0001-01-01T04:56:02.000Z 0001-01-02T04:56:02.000Z'],
])('%s in %s is %s', (text, timeZone, expected) => {
  vi.stubEnv('TZ', timeZone)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(format(text, timeZone)).toBe(expected)
})

test.each([
  ...['', 'yesterday', '2026', '2026-11', '2026-1-1', '01.11.2026', '11/01/2026', '20261101'],
  ...['2026-02-29', '2026-02-30', '2026-13-01', '2026-00-10', '2026-11-00', '-2026-11-01', '2026-11-01 '],
  ...['2026-11-01 24:00', '2026-11-01 9:00', '2026-11-01 14:60', '2026-11-01 14', '2026-11-01 14:30:60'],
  ...['2026-11-01 14:30.5', '2026-11-01 14:30 CET', '2026-11-01 14:30+25:00', '2026-02-30 14:30'],
  ...['-1d', '1y'],
])('%j is not a moment', (text) => {
  expect(format(text)).toBeUndefined()
})

test.each([
  [undefined, undefined],
  [1_000, '1970-01-01T00:00:01Z'],
  [1_001, '1970-01-01T00:00:02Z'],
  [1_999, '1970-01-01T00:00:02Z'],
  [Number.NaN, 'an unknown time'],
])('what is safe from %s is never said to be safe before', (ms, expected) => {
  expect(formatSafeTime(ms)).toBe(expected)
})
