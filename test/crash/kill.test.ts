// The built executable, killed at every step and at every byte of what spends. Then the journal is held against
// the service: nothing sent without a line in it, nothing lost, nothing sent twice, and all of it reconciled.
import { describe, expect, test } from 'vitest'
import { brokenCases, isFull, spread } from '../support/crash/table.ts'
import { brokenPromises, notedIn, untruths } from '../support/crash/verdict.ts'
import { type Blow, openWorld, type World } from '../support/crash/world.ts'

const create = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'ref-1', '--json']
const chain = [...create, '--confirm']
const confirm = ['confirm', 'ref:ref-1', '--json']

type Scenario = {
  readonly name: string
  readonly before: readonly (readonly string[])[]
  readonly words: readonly string[]
  /** How many steps, and how many bytes of each part, a short run takes. */
  readonly short: { readonly steps: number; readonly bytes: number }
  /** The call of it that no other scenario makes. */
  readonly call: 'create' | 'confirm'
}

const scenarios: readonly Scenario[] = [
  { name: 'create', before: [], words: create, short: { steps: 6, bytes: 4 }, call: 'create' },
  { name: 'confirm', before: [create], words: confirm, short: { steps: 12, bytes: 4 }, call: 'confirm' },
  { name: 'create --confirm', before: [], words: chain, short: { steps: 24, bytes: 0 }, call: 'confirm' },
]

type Case = { readonly name: string; readonly blow: Blow }

const prepared = async ({ before }: Scenario): Promise<World> => {
  const world = await openWorld()
  for (const words of before) expect((await world.runHere(...words)).end).toBe(0)
  return world
}

/** The exit code of the same words again, by what is known before them. */
const endAgain = async (world: World, { words }: Scenario): Promise<number> => {
  const [entry] = notedIn(world.journalFile)
  if (words !== confirm) return entry === undefined ? 0 : 2
  const [order] = await world.orders()
  if (order?.state !== 'created') return 3
  return entry?.open.length === 0 ? 0 : 6
}

const wrongsOf = async (scenario: Scenario, blow: Blow): Promise<string[]> => {
  await using world = await prepared(scenario)
  const { end, stderr } = await world.run(scenario.words, { blow })
  // Of a whole answer it may have made something before the signal comes.
  const mayEnd = 'byte' in blow && blow.part === 'answer' && end === 0
  if (end !== 'SIGKILL' && !mayEnd) return [`it was not killed, and ended with ${end}: ${stderr}`]
  const wrongs = await brokenPromises(world)
  const expected = await endAgain(world, scenario)
  const again = await world.runHere(...scenario.words)
  if (again.end !== expected) {
    wrongs.push(`again, it ended with ${again.end}, not ${expected}: ${again.stderr}`)
  }
  wrongs.push(...(await brokenPromises(world)), ...(await untruths(world)))
  return [...new Set(wrongs)]
}

const casesOf = async (scenario: Scenario): Promise<{ steps: Case[]; bytes: Case[] }> => {
  await using world = await prepared(scenario)
  const names = await world.pointsOf(scenario.words)
  expect(world.wrongs).toEqual([])
  const { short, call: operation } = scenario
  const steps = names.map((at): Case => ({ name: at, blow: { at, how: 'SIGKILL' } }))
  const call = world.passed.find((each) => each.operation === operation)
  const bytes = (['request', 'answer'] as const).map((part) =>
    Array.from({ length: 1 + (call?.[part] ?? 0) }, (_, byte): Case => {
      const name = `${operation} ${part} byte ${byte}`
      return { name, blow: { operation, part, byte } }
    }),
  )
  if (!isFull) {
    return { steps: spread(steps, short.steps), bytes: bytes.flatMap((each) => spread(each, short.bytes)) }
  }
  // The bytes of the chain are those of the other two.
  return { steps, bytes: short.bytes === 0 ? [] : bytes.flat() }
}

describe.each(scenarios)('$name', (scenario) => {
  test('killed at any step, or at any byte, it buys once and loses nothing', {
    timeout: isFull ? 1_800_000 : 60_000,
  }, async () => {
    const { steps, bytes } = await casesOf(scenario)
    const cases = [...steps, ...bytes]
    const lines = await brokenCases(cases, ({ blow }) => wrongsOf(scenario, blow))
    if (isFull) console.info(`${scenario.name}: killed at ${steps.length} steps and ${bytes.length} bytes`)
    expect(lines).toEqual([])
  })
})
