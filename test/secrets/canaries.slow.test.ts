// Runs the built executable in many ways and searches all outputs and files for a key, code, PIN, serial number and link.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFullRun, sampleEvenly } from '../support/cases.ts'
import { noTerminal } from '../support/pseudo-terminal.ts'
import { canaries, foundIn } from './canaries.ts'
import { rows as all } from './ways.ts'
import { openWorld, type World } from './world.ts'

const always = ['get, --debug', 'create, --debug']
/** Each case starts a process. Some need Linux. */
const rows = (
  isFullRun
    ? all
    : [...new Set([...sampleEvenly(all, 8), ...all.filter(({ name }) => always.includes(name))])]
).filter(({ around }) => noTerminal() === undefined || !['terminal', 'full stdout'].includes(around))

let world: World
beforeAll(async () => {
  world = await openWorld(rows)
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

test('the table has more than sixty rows', () => {
  expect(all.length).toBeGreaterThan(60)
})

test.each(Object.entries(canaries))('%s is found however it is written', (name, canary) => {
  const written = [canary, canary.toLowerCase(), encodeURIComponent(canary), btoa(canary), `a ${canary}.`]
  for (const text of written) expect(foundIn(Buffer.from(`\0${text}\0`))).toBe(name)
})

test.each(rows)('$name', async (row) => {
  const { found, ran } = await world.run(row)
  const ends = String(ran.exit ?? 'killed')
  expect({ ends, found, ran }).toEqual({ ends: row.ends, found: row.found, ran })
})
