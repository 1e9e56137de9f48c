// Eight processes at once on one journal.
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { openJournal } from '../../src/journal/open-journal.ts'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { findBrokenPromises, findJournalErrors } from './checks.ts'
import { runAgain } from './run-again.ts'
import { type Injection, openWorld, type RunResult, type World } from './world.ts'

const timeout = isFullRun ? 600_000 : 120_000

const eight = [0, 1, 2, 3, 4, 5, 6, 7]

const createWords = (reference: string): string[] =>
  ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference].concat(
    '--confirm',
    '--json',
  )

const ends = (all: readonly RunResult[]): (string | number)[] => all.map(({ end }) => end).toSorted()

/** Holds the journal's lock until all processes wait for their first write, so that they start together. */
const runTogether = async (world: World, words: readonly string[]): Promise<RunResult[]> => {
  await (await openJournal(world.journalFile)).close()
  using holder = new DatabaseSync(world.journalFile)
  holder.exec('BEGIN IMMEDIATE')
  let there = 0
  const onReached = (): void => {
    there += 1
    if (there === eight.length) holder.exec('COMMIT')
  }
  const injection: Injection = { at: 'sqlite: BEGIN IMMEDIATE #1 before', how: 'tell', onReached }
  return await Promise.all(eight.map(() => world.run(words, { injection })))
}

const rounds = Array.from({ length: isFullRun ? 10 : 1 }, (_, round) => round)

test.for(rounds)(
  'of eight creates of one reference, one succeeds and seven are refused (round %i)',
  {
    timeout,
  },
  async () => {
    await using world = await openWorld()
    mkdirSync(world.state, { mode: 0o700 })
    const all = await runTogether(world, createWords('shared'))
    expect(ends(all)).toEqual([0, 11, 11, 11, 11, 11, 11, 11])
    expect(await findBrokenPromises(world)).toEqual([])
    expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
    expect(await findJournalErrors(world)).toEqual([])
  },
)

test.for(rounds)('of eight confirms of one order, one succeeds (round %i)', { timeout }, async () => {
  await using world = await openWorld()
  await world.runHere(...createWords('shared').filter((word) => word !== '--confirm'))
  const all = await runTogether(world, ['confirm', 'ref:shared', '--json'])
  expect(await findBrokenPromises(world)).toEqual([])
  expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
  // During the confirm the outcome is unknown (6). After it, the order is already confirmed (3).
  expect(ends(all).filter((end) => end !== 3 && end !== 6)).toEqual([0])
  expect(await findJournalErrors(world)).toEqual([])
})

test.for(rounds)(
  'eight processes that create the journal at once buy eight references once each (round %i)',
  {
    timeout,
  },
  async () => {
    await using world = await openWorld()
    const all = await Promise.all(eight.map((index) => world.run(createWords(`ref-${index}`))))
    expect(ends(all)).toEqual(eight.map(() => 0))
    expect(await findBrokenPromises(world)).toEqual([])
    expect((await world.orders()).map(({ reference, state }) => `${reference} ${state}`).toSorted()).toEqual(
      eight.map((index) => `ref-${index} confirmed`),
    )
    expect(await findJournalErrors(world)).toEqual([])
  },
)

test.for(rounds)(
  'of eight create --idempotent of one reference, one buys and all succeed (round %i)',
  { timeout },
  async () => {
    await using world = await openWorld()
    mkdirSync(world.state, { mode: 0o700 })
    const words = [...createWords('shared'), '--idempotent']
    const all = await runTogether(world, words)
    expect(await findBrokenPromises(world)).toEqual([])
    expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
    expect(ends(all), all.map(({ stderr }) => stderr).join('')).toEqual(eight.map(() => 0))
    expect(await findJournalErrors(world, { atStage: () => runAgain(world, words) })).toEqual([])
    expect(await findBrokenPromises(world)).toEqual([])
  },
)

type Round = {
  readonly name: string
  /** How many processes have the same reference. */
  readonly shared: 1 | 2
  readonly isIdempotent: boolean
  readonly points: readonly string[]
}

let killed = 0

const findProblems = async ({ shared, isIdempotent, points }: Round): Promise<string[]> => {
  await using world = await openWorld()
  const wordsOf = (reference: string): string[] => [
    ...createWords(reference),
    ...(isIdempotent ? ['--idempotent'] : []),
  ]
  const references = [...new Set(points.map((_, index) => `ref-${Math.floor(index / shared)}`))]
  const blows = points.map((at): Injection => ({ at, how: 'SIGKILL' }))
  // A run that waits for a killed one would take two minutes.
  const env = { CRASH_LOOK_MS: '20' }
  const all = await Promise.all(
    blows.map((injection, index) =>
      world.run(wordsOf(`ref-${Math.floor(index / shared)}`), { injection, env }),
    ),
  )
  killed += all.filter(({ end }) => end === 'SIGKILL').length
  // A process may skip a step if a different process took it. Then it is not killed.
  const allowed: (string | number)[] = ['SIGKILL', 0, 11, ...(isIdempotent ? [6] : [])]
  const problems = all
    .filter(({ end }) => !allowed.includes(end))
    .map(({ end, stderr }) => `ended with ${end}: ${stderr}`)
  problems.push(...(await findBrokenPromises(world)))
  const atStage = async (): Promise<string[]> => {
    const found: string[] = []
    for (const reference of references) found.push(...(await runAgain(world, wordsOf(reference))))
    return found
  }
  problems.push(...(await findJournalErrors(world, { atStage })), ...(await findBrokenPromises(world)))
  const bought = (await world.orders()).filter(({ state }) => isPastPending(state))
  if (isIdempotent && bought.length !== references.length) {
    problems.push(`in the end ${bought.length} of ${references.length} are bought`)
  }
  return [...new Set(problems)]
}

test('eight processes, each killed at a different step, buy once and lose nothing', { timeout }, async () => {
  const steps = await (async () => {
    await using world = await openWorld()
    return await world.pointsOf(createWords('ref-1'))
  })()
  const some = isFullRun ? steps : sampleEvenly(steps, 8)
  const groups = Array.from({ length: Math.ceil(some.length / 8) }, (_, at) => some.slice(at * 8, at * 8 + 8))
  const cases = groups.flatMap((points, at): Round[] => {
    const round = (shared: 1 | 2, isIdempotent: boolean): Round => ({
      name: `${shared} a reference${isIdempotent ? ', idempotent' : ''}: ${points.join(', ')}`,
      ...{ shared, isIdempotent, points },
    })
    if (!isFullRun) return [round(at % 2 === 0 ? 2 : 1, at % 2 === 0)]
    return [round(1, false), round(2, false), round(1, true), round(2, true)]
  })
  expect(await collectFailures(cases, findProblems, 1)).toEqual([])
  if (isFullRun) console.info(`eight at once: ${killed} killed in ${cases.length} rounds`)
})
