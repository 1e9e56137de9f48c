// Each situation with the built executable in a home of its own. The full run has every cell, with and without --json. A
// short run has one cell of most rows.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectFailures, isFullRun } from '../support/cases.ts'
import { type Cell, cells } from './local.ts'
import { runCell } from './run-cell.ts'
import { cannotTest, situations } from './situations.ts'
import { openWorld, type World } from './world.ts'

const rows = [...Map.groupBy(cells, ({ situation }) => situation)]

let world: World
beforeAll(async () => {
  world = await openWorld()
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

/** A short run takes one of so many cells. */
const stride = 14

test('the table has every situation', () => {
  expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(situations).toSorted())
})

const casesOf = (row: readonly Cell[], at: number) =>
  row.flatMap((cell) => {
    const index = cells.indexOf(cell)
    if (!isFullRun && (index + at) % stride !== 0) return []
    return (isFullRun ? [false, true] : [index % 2 === 1]).map((isJson) => ({
      ...{ name: `${cell.command}${isJson ? ' --json' : ''}`, cell, isJson, index },
    }))
  })

const tried = rows.map(([name, row], at) => [name, casesOf(row, at)] as const)
const some = tried.filter(([, cases]) => cases.length > 0)

test.for(some)('%s', { timeout: 120_000, concurrent: true }, async ([situation, cases], { skip }) => {
  const why = cannotTest(situation)
  if (why !== false) skip(why)
  const findProblems = async ({ cell, isJson, index }: ReturnType<typeof casesOf>[number]) => {
    const { found, wanted } = await runCell(world, cell, isJson, `po-${index}-${isJson}`)
    const [is, was] = [JSON.stringify(wanted), JSON.stringify(found)]
    return is === was ? [] : [`${was}, not ${is}`]
  }
  expect(await collectFailures(cases, findProblems)).toEqual([])
})
