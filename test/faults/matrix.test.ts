// Every cell of the fault matrix, in process: the network is real, and only the clock is not waited for.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { judged } from './judge.ts'
import { trusted } from './link-faults.ts'
import { matrix } from './matrix.ts'
import { type Cell, cellsIn, rowOf } from './table.ts'
import { openWorld, type World } from './world.ts'

const before = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...before, ...trusted]))
afterAll(() => setDefaultCACertificates(before))

const cells = cellsIn(matrix)

/** For people or for a script: by turns; the full run has both. */
const waysOf = (index: number): boolean[] => (isFullRun ? [false, true] : [index % 2 === 1])

test('it has all its cells', () => {
  expect(cells.length).toBeGreaterThan(300)
})

describe.each([...Map.groupBy(cells, rowOf)])('%s', (_name, row) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(row[0] as Cell)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  // Each takes some 20 ms, where nobody else is busy.
  test.each(row)('$situation', { timeout: 30_000 }, async (cell) => {
    for (const isJson of waysOf(cells.indexOf(cell))) {
      const { found, wanted } = await judged(world, cell, isJson)
      expect(found).toEqual(wanted)
    }
  })
})
