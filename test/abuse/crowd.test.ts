// Fifty clients at once, as so many seeds have it: no money too much, no code twice, each confirmation counted once.
import { expect, test } from 'vitest'
import { brokenCases, isFull } from '../crash/table.ts'
import { crowd } from './crowd.ts'

const count = isFull ? 1_000 : 6

test('a crowd of clients breaks nothing, whatever it does', { timeout: 1_800_000 }, async () => {
  const seeds = Array.from({ length: count }, (_, seed) => ({ name: `seed ${seed}`, seed }))
  expect(await brokenCases(seeds, ({ seed }) => crowd(seed), 1)).toEqual([])
  if (isFull) console.info(`a crowd of 50: ${count} seeds`)
})
