// src/contract/duration.ts
import { expect, test } from 'vitest'
import { parseDuration } from '../../../src/contract/duration.ts'

test.each([
  ['0', 0],
  ['500ms', 500],
  ['11m', 660_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['0.1s0.2s', 300],
  ['0.4ms', 0],
  ['104249991d', 9_007_199_222_400_000],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each([
  ...['', '1', '00', '-1s', '+1s', '1 s', ' 1s', '1s ', '1S', '1sec', 's', '.5s', '1.s', '1..5s'],
  ...['1e3s', '1,5s', '١s', '1s\n', '0x1s', 'Infinitys', '104249992d', `${'9'.repeat(400)}d`],
])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

test('a long invalid text is rejected quickly', () => {
  const before = performance.now()
  expect(parseDuration(`${'1'.repeat(50_000)}!`)).toBeUndefined()
  expect(parseDuration(`${'1m'.repeat(50_000)}!`)).toBeUndefined()
  expect(performance.now() - before).toBeLessThan(1_000)
})
