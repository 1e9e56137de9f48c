// Eight processes at once on one journal: the same promises.
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { again } from './again.ts'
import { brokenPromises, untruths } from './verdict.ts'
import { type Blow, type Ended, openWorld, type World } from './world.ts'

const timeout = isFullRun ? 600_000 : 60_000

const eight = [0, 1, 2, 3, 4, 5, 6, 7]

const buy = (reference: string): string[] =>
  ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference].concat(
    '--confirm',
    '--json',
  )

const ends = (all: readonly Ended[]): (string | number)[] => all.map(({ end }) => end).toSorted()

/** They all come to their first write while somebody else holds the journal: then all go at once. */
const heldBack = async (world: World, words: readonly string[]): Promise<Ended[]> => {
  openJournal(world.journalFile).close()
  using holder = new DatabaseSync(world.journalFile)
  holder.exec('BEGIN IMMEDIATE')
  let there = 0
  const onReached = (): void => {
    there += 1
    if (there === eight.length) holder.exec('COMMIT')
  }
  const blow: Blow = { at: 'sqlite: BEGIN IMMEDIATE #1 before', how: 'tell', onReached }
  return await Promise.all(eight.map(() => world.run(words, { blow })))
}

const rounds = Array.from({ length: isFullRun ? 10 : 1 }, (_, round) => round)

test.for(rounds)(
  'of one reference, one process places it, and seven are refused (round %i)',
  {
    timeout,
  },
  async () => {
    await using world = await openWorld()
    mkdirSync(world.state, { mode: 0o700 })
    const all = await heldBack(world, buy('shared'))
    expect(ends(all)).toEqual([0, 11, 11, 11, 11, 11, 11, 11])
    expect(await brokenPromises(world)).toEqual([])
    expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
    expect(await untruths(world)).toEqual([])
  },
)

test.for(rounds)('of one order, one process confirms it (round %i)', { timeout }, async () => {
  await using world = await openWorld()
  await world.runHere(...buy('shared').filter((word) => word !== '--confirm'))
  const all = await heldBack(world, ['confirm', 'ref:shared', '--json'])
  expect(await brokenPromises(world)).toEqual([])
  expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
  // Whoever comes while it is under way cannot know; whoever comes later is told that it is done.
  expect(ends(all).filter((end) => end !== 3 && end !== 6)).toEqual([0])
  expect(await untruths(world)).toEqual([])
})

test.for(rounds)(
  'of eight references on a journal that is not there yet, all are bought, once each (round %i)',
  {
    timeout,
  },
  async () => {
    await using world = await openWorld()
    const all = await Promise.all(eight.map((index) => world.run(buy(`ref-${index}`))))
    expect(ends(all)).toEqual(eight.map(() => 0))
    expect(await brokenPromises(world)).toEqual([])
    expect((await world.orders()).map(({ reference, state }) => `${reference} ${state}`).toSorted()).toEqual(
      eight.map((index) => `ref-${index} confirmed`),
    )
    expect(await untruths(world)).toEqual([])
  },
)

test.for(rounds)(
  'of eight create --idempotent of one reference, one buys (round %i)',
  { timeout },
  async () => {
    await using world = await openWorld()
    mkdirSync(world.state, { mode: 0o700 })
    const words = [...buy('shared'), '--idempotent']
    const all = await heldBack(world, words)
    expect(await brokenPromises(world)).toEqual([])
    expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
    // Another run may be creating (11) or confirming (6) the order at that moment.
    expect(ends(all)).toContain(0)
    expect(ends(all).filter((end) => end !== 0 && end !== 6 && end !== 11)).toEqual([])
    expect(await untruths(world, { atStage: () => again(world, words) })).toEqual([])
    expect(await brokenPromises(world)).toEqual([])
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

const wrongsOf = async ({ shared, isIdempotent, points }: Round): Promise<string[]> => {
  await using world = await openWorld()
  const wordsOf = (reference: string): string[] => [
    ...buy(reference),
    ...(isIdempotent ? ['--idempotent'] : []),
  ]
  const references = [...new Set(points.map((_, index) => `ref-${Math.floor(index / shared)}`))]
  const blows = points.map((at): Blow => ({ at, how: 'SIGKILL' }))
  const all = await Promise.all(
    blows.map((blow, index) => world.run(wordsOf(`ref-${Math.floor(index / shared)}`), { blow })),
  )
  killed += all.filter(({ end }) => end === 'SIGKILL').length
  // A step may be another's: then the process went its way.
  const allowed: (string | number)[] = ['SIGKILL', 0, 11, ...(isIdempotent ? [6] : [])]
  const wrongs = all
    .filter(({ end }) => !allowed.includes(end))
    .map(({ end, stderr }) => `ended with ${end}: ${stderr}`)
  wrongs.push(...(await brokenPromises(world)))
  const atStage = async (): Promise<string[]> => {
    const found: string[] = []
    for (const reference of references) found.push(...(await again(world, wordsOf(reference))))
    return found
  }
  wrongs.push(...(await untruths(world, { atStage })), ...(await brokenPromises(world)))
  const bought = (await world.orders()).filter(({ state }) => isPastPending(state))
  if (isIdempotent && bought.length !== references.length) {
    wrongs.push(`in the end ${bought.length} of ${references.length} are bought`)
  }
  return [...new Set(wrongs)]
}

test('killed at eight steps at a time, they buy once and lose nothing', { timeout }, async () => {
  const steps = await (async () => {
    await using world = await openWorld()
    return await world.pointsOf(buy('ref-1'))
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
  expect(await collectFailures(cases, wrongsOf, 1)).toEqual([])
  if (isFullRun) console.info(`eight at once: ${killed} killed in ${cases.length} rounds`)
})
