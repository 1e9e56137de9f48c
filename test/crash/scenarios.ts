// The commands that spend money, each on its own journal.
import path from 'node:path'
import { isPastPending } from '../../src/contract/states.ts'
import { findBrokenPromises, findJournalErrors, type Stage, stageNames } from './checks.ts'
import { runAgain } from './run-again.ts'
import { type Call, readSystemCalls, traceCalls } from './strace.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export type Scenario = {
  readonly name:
    | 'create'
    | 'confirm'
    | 'create --confirm'
    | 'create --idempotent --confirm'
    | 'create --idempotent --confirm of a created order'
  /** Commands that run first, without faults. */
  readonly before: readonly (readonly string[])[]
  readonly words: readonly string[]
  /** The state of the order after a successful run. */
  readonly becomes: 'created' | 'confirmed'
  /** The stages at which the command runs again. */
  readonly runAgain: readonly Stage[]
  /** The order is bought in the end if the command runs again at each stage. */
  readonly buys?: true
}

const create = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'ref-1', '--json']
const confirm = ['confirm', 'ref:ref-1', '--json']
const idempotent = [...create, '--idempotent', '--confirm']

export const createAndConfirm: Scenario = {
  ...{ name: 'create --confirm', before: [], words: [...create, '--confirm'], becomes: 'confirmed' },
  runAgain: stageNames,
}

const idempotentCreateAndConfirm: Scenario = {
  ...{ name: 'create --idempotent --confirm', before: [], words: idempotent, becomes: 'confirmed' },
  ...{ runAgain: stageNames, buys: true },
}

const idempotentConfirm: Scenario = {
  ...idempotentCreateAndConfirm,
  ...{ name: 'create --idempotent --confirm of a created order', before: [create] },
}

export const scenarios: readonly Scenario[] = [
  { name: 'create', before: [], words: create, becomes: 'created', runAgain: ['now', 'quiet'] },
  { name: 'confirm', before: [create], words: confirm, becomes: 'confirmed', runAgain: ['now'] },
  createAndConfirm,
  idempotentCreateAndConfirm,
  idempotentConfirm,
]

export const prepareWorld = async ({ before }: Scenario, options: WorldOptions = {}): Promise<World> => {
  const world = await openWorld(options)
  for (const words of before) {
    const { end, stderr } = await world.runHere(...words)
    if (end !== 0) throw new Error(`${words.join(' ')}: ${end}: ${stderr}`)
  }
  return world
}

/** Lists the system calls on the files of the journal. */
export const callsOf = async (scenario: Scenario): Promise<Call[]> => {
  await using world = await prepareWorld(scenario)
  const list = path.join(world.home, 'calls')
  await world.run(scenario.words, { under: traceCalls(world.state, list) })
  return readSystemCalls(list)
}

/** Checks the promises after the fault, after the command runs again, and after reconcile. */
export const checkAftermath = async (world: World, scenario: Scenario): Promise<string[]> => {
  const problems = await findBrokenPromises(world)
  const atStage = async (stage: Stage): Promise<readonly string[]> =>
    scenario.runAgain.includes(stage) ? runAgain(world, scenario.words) : []
  problems.push(...(await findJournalErrors(world, atStage)), ...(await findBrokenPromises(world)))
  const bought = (await world.orders()).filter(({ state }) => isPastPending(state))
  if (scenario.buys && bought.length !== 1) problems.push(`in the end it has bought ${bought.length} times`)
  return [...new Set(problems)]
}
