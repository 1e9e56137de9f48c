// The text form of latencies, and drawing a wait from a range.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawLatency, parseLatency } from '../../../src/service/faults/latency.ts'

test.each([
  ['2s', { from: 2_000, to: 2_000 }],
  ['0', { from: 0, to: 0 }],
  ['50ms..200ms', { from: 50, to: 200 }],
  ['0..1m', { from: 0, to: 60_000 }],
  ['1s..1s', { from: 1_000, to: 1_000 }],
])('%s is a valid latency', (source, latency) => {
  expect(parseLatency(source)).toEqual(latency)
})

test.each(['', '..', '1s..', '..1s', '2s..1s', '1s..2s..3s', '1s...2s', '50-200ms', '50..200', ' 1s', '-1s'])(
  '%j is not a valid latency',
  (source) => {
    expect(parseLatency(source)).toBeUndefined()
  },
)

test('a drawn wait is a whole number within the range', () => {
  const bounds = fc
    .tuple(fc.nat(10_000), fc.nat(10_000))
    .map(([from, length]) => ({ from, to: from + length }))
  fc.assert(
    fc.property(bounds, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (latency, chance) => {
      const ms = drawLatency(latency, () => chance)
      expect(Number.isInteger(ms) && ms >= latency.from && ms <= latency.to).toBe(true)
    }),
  )
  expect([drawLatency({ from: 1, to: 9 }, () => 0), drawLatency({ from: 1, to: 9 }, () => 0.9999)]).toEqual([
    1, 9,
  ])
})
