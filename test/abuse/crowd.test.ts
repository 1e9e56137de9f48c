// Fifty clients at once: no overspending, no repeated code, each confirm counted once.
import { expect, test } from 'vitest'
import { collectFailures, isFullRun } from '../support/cases.ts'
import { playManyClients } from './many-clients.ts'

const count = isFullRun ? 1_000 : 6

test('fifty clients at once break no invariant', { timeout: 1_800_000 }, async () => {
  const seeds = Array.from({ length: count }, (_, seed) => ({ name: `seed ${seed}`, seed }))
  expect(await collectFailures(seeds, ({ seed }) => playManyClients(seed), 1)).toEqual([])
  if (isFullRun) console.info(`a crowd of 50: ${count} seeds`)
})
