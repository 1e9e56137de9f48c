// Eight processes at once on one journal, which none of them has seen yet: the same promises.
import { expect, test } from 'vitest'
import { brokenCases, isFull, spread } from '../support/crash/table.ts'
import { brokenPromises, notedIn, untruths } from '../support/crash/verdict.ts'
import { type Blow, type Ended, openWorld, type World } from '../support/crash/world.ts'

const timeout = isFull ? 600_000 : 60_000

const eight = [0, 1, 2, 3, 4, 5, 6, 7]

const buy = (reference: string): string[] =>
  ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference].concat(
    '--confirm',
    '--json',
  )

const allAtOnce = (world: World, words: (index: number) => string[]): Promise<Ended[]> =>
  Promise.all(eight.map((index) => world.run(words(index))))

const ends = (all: readonly Ended[]): (string | number)[] => all.map(({ end }) => end).toSorted()

const rounds = isFull ? 10 : 1

test.for(Array.from({ length: rounds }, (_, at) => at))(
  'of one reference, one process places it, and seven are refused (round %i)',
  {
    timeout,
  },
  async () => {
    await using world = await openWorld()
    const all = await allAtOnce(world, () => buy('shared'))
    expect(ends(all)).toEqual([0, 2, 2, 2, 2, 2, 2, 2])
    expect(await brokenPromises(world)).toEqual([])
    expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
    expect(await untruths(world)).toEqual([])
  },
)

test.for(Array.from({ length: rounds }, (_, at) => at))(
  'of eight references, all are bought, once each (round %i)',
  {
    timeout,
  },
  async () => {
    await using world = await openWorld()
    const all = await allAtOnce(world, (index) => buy(`ref-${index}`))
    expect(ends(all)).toEqual(eight.map(() => 0))
    expect(await brokenPromises(world, 8)).toEqual([])
    expect((await world.orders()).map(({ reference, state }) => `${reference} ${state}`).toSorted()).toEqual(
      eight.map((index) => `ref-${index} confirmed`),
    )
    expect(await untruths(world)).toEqual([])
  },
)

test.for(Array.from({ length: rounds }, (_, at) => at))(
  'of one order, one process confirms it (round %i)',
  {
    timeout,
  },
  async () => {
    await using world = await openWorld()
    const [create, ...words] = buy('shared')
    await world.runHere(...[create ?? '', ...words.filter((word) => word !== '--confirm')])
    const all = await allAtOnce(world, () => ['confirm', 'ref:shared', '--json'])
    // Whoever comes while it is under way cannot know; whoever comes later is told that it is done.
    expect(ends(all).filter((end) => end !== 3 && end !== 6)).toEqual([0])
    expect(await brokenPromises(world)).toEqual([])
    expect(world.asked.map(({ operation }) => operation)).toEqual(['create', 'confirm'])
    expect(await untruths(world)).toEqual([])
  },
)

type Round = {
  readonly name: string
  /** How many processes have the same reference. */
  readonly shared: 1 | 2
  readonly points: readonly string[]
}

let killed = 0

const wrongsOf = async ({ shared, points }: Round): Promise<string[]> => {
  await using world = await openWorld()
  const references = [...new Set(points.map((_, index) => `ref-${Math.floor(index / shared)}`))]
  const blows = points.map((at): Blow => ({ at, how: 'SIGKILL' }))
  const all = await Promise.all(
    blows.map((blow, index) => world.run(buy(`ref-${Math.floor(index / shared)}`), { blow })),
  )
  killed += all.filter(({ end }) => end === 'SIGKILL').length
  const wrongs = all
    // A step may be another's: then it went its way.
    .filter(({ end }) => end !== 'SIGKILL' && end !== 0 && end !== 2)
    .map(({ end, stderr }) => `ended with ${end}: ${stderr}`)
  wrongs.push(...(await brokenPromises(world, references.length)))
  for (const reference of references) {
    const isKnown = notedIn(world.journalFile).some((entry) => entry.reference === reference)
    const { end, stderr } = await world.runHere(...buy(reference))
    if (end !== (isKnown ? 2 : 0)) wrongs.push(`${reference} again, it ended with ${end}: ${stderr}`)
  }
  wrongs.push(...(await brokenPromises(world, references.length)), ...(await untruths(world)))
  return [...new Set(wrongs)]
}

test('killed at eight steps at a time, they buy once and lose nothing', { timeout }, async () => {
  const steps = await (async () => {
    await using world = await openWorld()
    return await world.pointsOf(buy('ref-1'))
  })()
  const some = isFull ? steps : spread(steps, 8)
  const groups = Array.from({ length: Math.ceil(some.length / 8) }, (_, at) => some.slice(at * 8, at * 8 + 8))
  const cases = groups.flatMap((points, at): Round[] => {
    const round = (shared: 1 | 2): Round => ({
      name: `${shared} a reference: ${points.join(', ')}`,
      shared,
      points,
    })
    return isFull ? [round(1), round(2)] : [round(at % 2 === 0 ? 1 : 2)]
  })
  expect(await brokenCases(cases, wrongsOf, 1)).toEqual([])
  if (isFull) console.info(`eight at once: ${killed} killed in ${cases.length} rounds`)
})
