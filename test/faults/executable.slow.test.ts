// The fault matrix with the built executable and the real clock. Only the full run includes it.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { collectFailures, isFullRun } from '../support/cases.ts'
import { folder } from '../support/orderctl.ts'
import { trusted } from './faults.ts'
import { matrix } from './matrix.ts'
import { runCell } from './run-cell.ts'
import type { SituationName } from './situations.ts'
import { type Cell, cellsIn, rowOf } from './table.ts'
import { openWorld } from './world.ts'

const timeout = 1_800_000

/** Situations without waits of a minute and without a fault at a chosen moment. */
const quick: readonly SituationName[] = [
  'get',
  'create, lost',
  'create, done',
  'confirm, done',
  'confirm, blind',
]

const rows = [...Map.groupBy(cellsIn(matrix), rowOf)].map(([name, cells]) => ({
  name,
  cells: cells.filter(({ situation }) => quick.includes(situation)),
}))

/** The certificates that the executable trusts, in a file of the folder. */
const variablesIn = (home: string, more: Record<string, string> = {}): Record<string, string> => {
  const authorities = path.join(home, 'authorities.pem')
  writeFileSync(authorities, trusted.join(''))
  return { NODE_EXTRA_CA_CERTS: authorities, ...more }
}

describe.runIf(isFullRun)('the built executable', () => {
  test('gives the results of the matrix', { timeout }, async () => {
    const executable = variablesIn(folder())
    const wrongsOf = async ({ cells }: { cells: readonly Cell[] }): Promise<string[]> => {
      await using world = await openWorld({ ...(cells[0] as Cell), executable })
      const wrongs: string[] = []
      for (const [index, cell] of cells.entries()) {
        const { found, wanted } = await runCell(world, cell, index % 2 === 1)
        const [is, was] = [JSON.stringify(wanted), JSON.stringify(found)]
        if (is !== was) wrongs.push(`${cell.situation}: ${was}, not ${is}`)
      }
      return wrongs
    }
    expect(await collectFailures(rows, wrongsOf, 4)).toEqual([])
    console.info(`${rows.flatMap(({ cells }) => cells).length} cells by the built executable`)
  })

  test('uses no more memory for a GiB than for an order', { timeout }, async () => {
    const home = folder()
    const peakFile = path.join(home, 'peak')
    const preload = new URL('./peak.ts', import.meta.url).href
    const executable = variablesIn(home, { NODE_OPTIONS: `--import ${preload}`, PEAK_FILE: peakFile })
    const peakOf = async (fault: string): Promise<number> => {
      const cell = rows.find(({ name }) => name === fault)?.cells.find(({ situation }) => situation === 'get')
      if (cell === undefined) throw new Error(`there is no row ${fault}`)
      await using world = await openWorld({ ...cell, executable })
      const { found, wanted } = await runCell(world, cell, true)
      expect(found).toEqual(wanted)
      return Number(readFileSync(peakFile, 'utf8')) / 1024
    }
    const usual = await peakOf('404')
    expect((await peakOf('1 GiB')) - usual).toBeLessThan(64)
  })
})
