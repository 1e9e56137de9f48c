// Fifty clients at once, as so many seeds have it: no money too much, no code twice, each confirmation counted once.
import { expect, test } from 'vitest'
import { collectFailures, isFullRun } from '../support/cases.ts'
import { playManyClients } from './many-clients.ts'

const count = isFullRun ? 1_000 : 6

test('a crowd of clients breaks nothing, whatever it does', { timeout: 1_800_000 }, async () => {
  const seeds = Array.from({ length: count }, (_, seed) => ({ name: `seed ${seed}`, seed }))
  expect(await collectFailures(seeds, ({ seed }) => playManyClients(seed), 1)).toEqual([])
  if (isFullRun) console.info(`a crowd of 50: ${count} seeds`)
})
