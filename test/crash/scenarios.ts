// The commands that spend money, each on its own journal.
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
}

const create = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'ref-1', '--json']
const confirm = ['confirm', 'ref:ref-1', '--json']
const idempotent = [...create, '--idempotent', '--confirm']

export const createAndConfirm: Scenario = {
  ...{ name: 'create --confirm', before: [], words: [...create, '--confirm'], becomes: 'confirmed' },
}

export const scenarios: readonly Scenario[] = [
  { name: 'create', before: [], words: create, becomes: 'created' },
  { name: 'confirm', before: [create], words: confirm, becomes: 'confirmed' },
  createAndConfirm,
  { name: 'create --idempotent --confirm', before: [], words: idempotent, becomes: 'confirmed' },
  {
    ...{ name: 'create --idempotent --confirm of a created order', before: [create] },
    ...{ words: idempotent, becomes: 'confirmed' },
  },
]

export const prepareWorld = async ({ before }: Scenario, options: WorldOptions = {}): Promise<World> => {
  const world = await openWorld(options)
  for (const words of before) {
    const { end, stderr } = await world.runHere(...words)
    if (end !== 0) throw new Error(`${words.join(' ')}: ${end}: ${stderr}`)
  }
  return world
}

/** Lists the steps of a successful run. */
export const pointsOf = async (scenario: Scenario): Promise<string[]> => {
  await using world = await prepareWorld(scenario)
  return await world.pointsOf(scenario.words)
}
