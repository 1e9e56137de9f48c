// The cells of the fault matrix in process: the network is real, but waits end at once.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAllRun, isFullRun } from '../support/cases.ts'
import { trusted } from './faults.ts'
import { matrix } from './matrix.ts'
import { runCell } from './run-cell.ts'
import { type Cell, cellsIn, rowOf } from './table.ts'
import { openWorld, type World } from './world.ts'

const before = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...before, ...trusted]))
afterAll(() => setDefaultCACertificates(before))

const cells = cellsIn(matrix)

/** Neither divides the number of columns, so that the sample has cells of each column. */
const stride = isAllRun ? 3 : 11
const sample = isFullRun ? cells : cells.filter((_, index) => index % stride === 0)

/** The full run runs each cell with and without --json, a short run alternates. */
const formatsOf = (index: number): boolean[] => (isFullRun ? [false, true] : [index % 2 === 1])

describe.each([...Map.groupBy(sample, rowOf)])('%s', (_name, row) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(row[0] as Cell)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  // Each takes about 20 ms on an idle machine.
  test.each(row)('$situation', async (cell) => {
    for (const isJson of formatsOf(cells.indexOf(cell))) {
      const { found, wanted } = await runCell(world, cell, isJson)
      expect(found).toEqual(wanted)
    }
  })
})
