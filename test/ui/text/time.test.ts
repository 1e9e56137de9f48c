// Times in the reader's time zone, and their distance from now.
import { expect, test } from 'vitest'
import {
  formatClock,
  formatDate,
  formatDeadline,
  formatExpiry,
  formatRelative,
  formatTime,
  toInstant,
} from '../../../src/ui/text/time.ts'

const now = Date.UTC(2026, 10, 20, 19, 54, 5)
const s = 1_000
const min = 60 * s
const h = 60 * min
const day = 24 * h

test.each([
  [0, 'now'],
  [-999, 'now'],
  [s, 'in 1 s'],
  [-59 * s, '59 s ago'],
  [10 * min - 1, 'in 9 min'],
  [-2 * h, '2 h ago'],
  [47 * h, 'in 47 h'],
  [48 * h, 'in 2 days'],
  [-400 * day, '400 days ago'],
])('%i ms away is %s', (away, shown) => {
  expect(formatRelative(now + away, now)).toBe(shown)
})

test('a deadline has a time and a distance, and is empty when past', () => {
  const here = { timeZone: 'Europe/Berlin', now }
  expect(formatDeadline(here.now + 10 * min - 1, here)).toBe(
    'until 2026-11-20 21:04:04 UTC+1, 9 min from now',
  )
  expect(formatDeadline(here.now, here)).toBe('')
})

test('an expiry is in the future or past tense', () => {
  expect(formatExpiry(now + 9 * min, now)).toBe('expires in 9 min')
  expect(formatExpiry(now - 3 * min, now)).toBe('expired 3 min ago')
  expect(formatExpiry(now, now)).toBe('expired now')
})

test.each([
  ['Europe/Berlin', '2026-11-20 20:54:05 UTC+1'],
  ['America/New_York', '2026-11-20 14:54:05 UTC-5'],
  ['Asia/Kolkata', '2026-11-21 01:24:05 UTC+5:30'],
  ['UTC', '2026-11-20 19:54:05 UTC'],
])('in %s it is %s', (timeZone, shown) => {
  expect(formatClock(now, { now, timeZone })).toBe(shown)
})

test('midnight is 00 and summer time is applied', () => {
  const here = { now, timeZone: 'Europe/Berlin' }
  expect(formatClock('2026-07-01T22:00:00Z', here)).toBe('2026-07-02 00:00:00 UTC+2')
})

test.each([
  [{ _seconds: 1, _nanoseconds: 500_000_000 }, 1500],
  ['2026-11-20T19:54:05Z', now],
  ['2026-11-20 20:54:05+0100', now],
  ['2026-11-20T19:54:05.000', now],
  ['2026-11-20', Date.UTC(2026, 10, 20)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2026-02-30', undefined],
  ['2026-11-20T25:00Z', undefined],
  ['20/11/2026', undefined],
  ['', undefined],
  [Number.NaN, undefined],
  [8.64e15 + 1, undefined],
  [{ _seconds: 1e15, _nanoseconds: 0 }, undefined],
])('%j is the moment %s', (moment, ms) => {
  expect(toInstant(moment)).toBe(ms)
})

test('an invalid time is shown as given, made safe', () => {
  const here = { now, timeZone: 'UTC' }
  expect(formatTime('soon\u001b[31m', here)).toBe('soon\\u{1b}[31m')
  expect(formatDate('2026-02-30', here)).toBe('2026-02-30')
  expect(formatTime({ _seconds: 1e15, _nanoseconds: 0 }, here)).toBe('1000000000000000 s')
})

test('a time is local, with its zone and distance', () => {
  expect(formatTime(now - 2 * h, { now, timeZone: 'Asia/Tokyo' })).toBe('2026-11-21 02:54:05 UTC+9, 2 h ago')
})
