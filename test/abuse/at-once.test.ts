// Two or eight commands at once in one home have the same results as each alone.
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectFailures, isFullRun } from '../support/cases.ts'
import { orderctl } from '../support/orderctl.ts'
import { type CommandName, commands } from './commands.ts'
import { isInJournal } from './run-cell.ts'
import { commonEnvironment, key, openWorld, type Place, stateIn, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

type Case = { readonly name: string; readonly all: readonly CommandName[]; readonly isNew: boolean }

const names = Object.keys(commands) as CommandName[]
const pairs = names.flatMap((one, at) => names.slice(at).map((other) => [one, other]))
const eights = [names.slice(0, 8), Array.from({ length: 8 }, (): CommandName => 'create')]
const caseOf = (all: readonly CommandName[], isNew: boolean): Case => ({
  ...{ name: `${all.join(', ')}${isNew ? ', a first time' : ''}`, all, isNew },
})
const cases = isFullRun
  ? [...pairs, ...eights].flatMap((all) => [caseOf(all, false), caseOf(all, true)])
  : eights.map((all) => caseOf(all, true))

/** The requests of each command when it runs alone. */
const requestsOf: Partial<Record<CommandName, string>> = {
  create: 'c',
  confirm: 'gpg',
  get: 'g',
  redeem: 'g',
}
const sorted = (text: string): string => [...text].sort().join('')

const accountOf = ({ origin }: Place) => ({ ORDERCTL_BASE_URL: origin, ORDERCTL_API_KEY: key })

const runIn = async ({ home }: Place, command: CommandName, reference: string, account = {}) =>
  orderctl(await commands[command](world, reference), {
    ...{ cwd: home, env: { ...commonEnvironment, HOME: home, ...account } },
    ...{ input: `${key}\n`, endsWithinMs: 60_000 },
  })

const findProblems = async ({ name, all, isNew }: Case): Promise<string[]> => {
  const place = await world.place()
  const { home } = place
  if (isNew) {
    rmSync(home, { recursive: true })
    mkdirSync(home, { mode: 0o700 })
  }
  const references = all.map((_, at) => `po-${name}-${at}`)
  const ran = await Promise.all(
    all.map((command, at) => runIn(place, command, references[at] ?? '', accountOf(place))),
  )
  const wire = place.wire()
  // Only one of several commands can add the profile.
  const addings = ran.filter((_, at) => all[at] === 'add').map(({ exit }) => exit)
  const others = ran.filter(({ exit }, at) => exit !== 0 && all[at] !== 'add')
  const wanted = all.map((command) => requestsOf[command] ?? '').join('')
  const spent = references.filter((_, at) => all[at] === 'create' || all[at] === 'confirm')
  const lost = spent.filter((reference) => !isInJournal(home, reference))
  await place.close()
  return [
    ...others.map(({ exit, stderr }) => `${exit}: ${stderr}`),
    ...(addings.toSorted().join() === addings.map((_, at) => (at === 0 ? 0 : 2)).join()
      ? []
      : [`added: ${addings}`]),
    ...(sorted(wire) === sorted(wanted) ? [] : [`it sent ${wire}, not ${wanted}`]),
    ...lost.map((each) => `${each} is not in the journal`),
  ]
}

test('commands at once have the same results as each alone', { timeout: 600_000 }, async () => {
  expect(await collectFailures(cases, findProblems, 1)).toEqual([])
  if (isFullRun) console.info(`${cases.length} times two or eight at once`)
})

test.runIf(isFullRun)(
  'a command gives up after ten seconds if another process keeps the file locked',
  async () => {
    const place = await world.place()
    const { home, close, wire } = place
    const held = ['journal.db', 'sandbox.db'].map((name) => new DatabaseSync(path.join(stateIn(home), name)))
    for (const database of held) database.exec('BEGIN IMMEDIATE')
    const all = await Promise.all([
      runIn(place, 'create', 'held', accountOf(place)),
      runIn(place, 'sandbox', 'held'),
      runIn(place, 'list', 'held'),
    ])
    for (const database of held) database.close()
    await close()
    expect(all.map(({ exit, stderr }) => [exit, /database is locked.*/.exec(stderr)?.[0] ?? ''])).toEqual([
      [9, 'database is locked; nothing was sent'],
      [9, 'database is locked'],
      [0, ''],
    ])
    expect(wire()).toBe('')
  },
)
