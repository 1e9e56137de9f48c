// What is run and goes wrong: each command that spends, on a journal of its own.
import path from 'node:path'
import { isPastPending } from '../../src/contract/states.ts'
import { again } from './again.ts'
import { type Call, listed, listing } from './strace.ts'
import { brokenPromises, type Stage, stageNames, untruths } from './verdict.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export type Scenario = {
  readonly name:
    | 'create'
    | 'confirm'
    | 'create --confirm'
    | 'create --idempotent --confirm'
    | 'create --idempotent --confirm of a created order'
  /** Run first, and not disturbed. */
  readonly before: readonly (readonly string[])[]
  readonly words: readonly string[]
  /** The order, if all goes well. */
  readonly becomes: 'created' | 'confirmed'
  /** When the words are run once more. */
  readonly again: readonly Stage[]
  /** Run again at each stage, they have bought in the end, whatever was disturbed. */
  readonly buys?: true
}

const create = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'ref-1', '--json']
const confirm = ['confirm', 'ref:ref-1', '--json']
const idempotent = [...create, '--idempotent', '--confirm']

export const chain: Scenario = {
  ...{ name: 'create --confirm', before: [], words: [...create, '--confirm'], becomes: 'confirmed' },
  again: stageNames,
}

export const idempotentChain: Scenario = {
  ...{ name: 'create --idempotent --confirm', before: [], words: idempotent, becomes: 'confirmed' },
  ...{ again: stageNames, buys: true },
}

export const idempotentRest: Scenario = {
  ...idempotentChain,
  ...{ name: 'create --idempotent --confirm of a created order', before: [create] },
}

export const scenarios: readonly Scenario[] = [
  { name: 'create', before: [], words: create, becomes: 'created', again: ['now', 'quiet'] },
  { name: 'confirm', before: [create], words: confirm, becomes: 'confirmed', again: ['now'] },
  chain,
  idempotentChain,
  idempotentRest,
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

/** What is broken after the worst; after the same words again; and once all is reconciled. */
export const aftermath = async (world: World, scenario: Scenario, fromMs = 0): Promise<string[]> => {
  const wrongs = await brokenPromises(world)
  const atStage = async (stage: Stage): Promise<readonly string[]> =>
    scenario.again.includes(stage) ? again(world, scenario.words) : []
  wrongs.push(...(await untruths(world, { fromMs, atStage })), ...(await brokenPromises(world)))
  const bought = (await world.orders()).filter(({ state }) => isPastPending(state))
  if (scenario.buys && bought.length !== 1) wrongs.push(`in the end it has bought ${bought.length} times`)
  return [...new Set(wrongs)]
}
