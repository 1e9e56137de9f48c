// What is run and goes wrong: each command that spends, on a journal of its own.
import path from 'node:path'
import { type Call, listed, listing } from './strace.ts'
import { brokenPromises, notedIn, untruths } from './verdict.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export type Scenario = {
  readonly name: 'create' | 'confirm' | 'create --confirm'
  /** Run first, and not disturbed. */
  readonly before: readonly (readonly string[])[]
  readonly words: readonly string[]
  /** The order, where it goes well. */
  readonly becomes: 'created' | 'confirmed'
}

const create = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'ref-1', '--json']
const confirm = ['confirm', 'ref:ref-1', '--json']

export const scenarios: readonly Scenario[] = [
  { name: 'create', before: [], words: create, becomes: 'created' },
  { name: 'confirm', before: [create], words: confirm, becomes: 'confirmed' },
  { name: 'create --confirm', before: [], words: [...create, '--confirm'], becomes: 'confirmed' },
]

export const prepared = async ({ before }: Scenario, options: WorldOptions = {}): Promise<World> => {
  const world = await openWorld(options)
  for (const words of before) {
    const { end, stderr } = await world.runHere(...words)
    if (end !== 0) throw new Error(`${words.join(' ')}: ${end}: ${stderr}`)
  }
  return world
}

/** Its system calls on the files of its journal. */
export const callsOf = async (scenario: Scenario): Promise<Call[]> => {
  await using world = await prepared(scenario)
  const list = path.join(world.home, 'calls')
  await world.run(scenario.words, { under: listing(world.state, list) })
  return listed(list)
}

/** The exit code of the same words again, by what is known before them. */
const endAgain = async (world: World, { name }: Scenario): Promise<number> => {
  const [entry] = notedIn(world.journalFile)
  if (name !== 'confirm') return entry === undefined || entry.standing === 'not-sent' ? 0 : 2
  const [order] = await world.orders()
  if (order?.state !== 'created') return 3
  return entry?.open.length === 0 ? 0 : 6
}

/** What is broken after the worst; after the same words again; and once all is reconciled. */
export const aftermath = async (world: World, scenario: Scenario): Promise<string[]> => {
  const wrongs = await brokenPromises(world)
  const expected = await endAgain(world, scenario)
  const { end, stderr } = await world.runHere(...scenario.words)
  if (end !== expected) wrongs.push(`again, it ended with ${end}, not ${expected}: ${stderr}`)
  wrongs.push(...(await brokenPromises(world)), ...(await untruths(world)))
  return [...new Set(wrongs)]
}
