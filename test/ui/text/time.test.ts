// Times in the reader's time zone, and their distance from now.
import { expect, test } from 'vitest'
import {
  formatClock,
  formatDate,
  formatExpiry,
  formatRelative,
  formatTime,
  toInstant,
} from '../../../src/ui/text/formats.ts'

const now = Date.UTC(2026, 10, 20, 19, 54, 5)
const s = 1_000
const min = 60 * s
const h = 60 * min
const day = 24 * h
const zone = (timeZone: string) => ({ timeZone, now })
const berlin = zone('Europe/Berlin')
const utc = zone('UTC')

test.each([
  ['now', formatRelative(now, now)],
  ['now', formatRelative(now - 999, now)],
  ['in 1 s', formatRelative(now + s, now)],
  ['in 9 min', formatRelative(now + 10 * min - 1, now)],
  ['2 h ago', formatRelative(now - 2 * h, now)],
  ['in 47 h', formatRelative(now + 47 * h, now)],
  ['in 2 days', formatRelative(now + 48 * h, now)],
  ['400 days ago', formatRelative(now - 400 * day, now)],
  ['expires in 9 min', formatExpiry(now + 9 * min, now)],
  ['expired 3 min ago', formatExpiry(now - 3 * min, now)],
  ['2026-11-20 20:54:05 UTC+1', formatClock(now, berlin)],
  ['2026-11-21 01:24:05 UTC+5:30', formatClock(now, zone('Asia/Kolkata'))],
  ['2026-11-20 19:54:05 UTC', formatClock(now, utc)],
  // Midnight is 00, and summer time is applied.
  ['2026-07-02 00:00:00 UTC+2', formatClock('2026-07-01T22:00:00Z', berlin)],
  ['2026-11-21 02:54:05 UTC+9, 2 h ago', formatTime(now - 2 * h, zone('Asia/Tokyo'))],
  // An invalid time is shown as given, made safe.
  ['soon\\u{1b}[31m', formatTime('soon\u001b[31m', utc)],
  ['2026-02-30', formatDate('2026-02-30', utc)],
  ['1000000000000000 s', formatTime({ _seconds: 1e15, _nanoseconds: 0 }, utc)],
])('%j is how a time is written', (wanted, found) => {
  expect(found).toBe(wanted)
})

test.each<[Parameters<typeof toInstant>[0], number | undefined]>([
  [{ _seconds: 1, _nanoseconds: 500_000_000 }, 1500],
  ['2026-11-20T19:54:05Z', now],
  ['2026-11-20 20:54:05+0100', now],
  ['2026-11-20T19:54:05.000', now],
  ['2026-11-20', Date.UTC(2026, 10, 20)],
  ['2026-02-30', undefined],
  ['', undefined],
  [Number.NaN, undefined],
  [8.64e15 + 1, undefined],
  [{ _seconds: 1e15, _nanoseconds: 0 }, undefined],
])('%j is the moment %s', (moment, ms) => {
  expect(toInstant(moment)).toBe(ms)
})
