// The built executable, killed at every step and at every byte of what spends. Then the journal is held against
// the service: nothing sent without a line in it, nothing lost, nothing sent twice, and all of it reconciled.
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { aftermath, callsOf, prepared, type Scenario, scenarios } from '../support/crash/scenarios.ts'
import { cannotTrace, disturbing, sentSafely, watching } from '../support/crash/strace.ts'
import { brokenCases, isFull, spread } from '../support/crash/table.ts'
import type { Blow, Ended } from '../support/crash/world.ts'

const timeout = isFull ? 1_800_000 : 60_000

type Part = { readonly operation: 'create' | 'confirm'; readonly part: 'request' | 'answer' }

/** Those that no other scenario has. */
const parts: Readonly<Record<Scenario['name'], readonly Part[]>> = {
  create: [
    { operation: 'create', part: 'request' },
    { operation: 'create', part: 'answer' },
  ],
  confirm: [
    { operation: 'confirm', part: 'request' },
    { operation: 'confirm', part: 'answer' },
  ],
  'create --confirm': [],
}

/** How many of each a short run takes. */
const short = { steps: { create: 4, confirm: 8, 'create --confirm': 18 }, bytes: 3 } as const

type Case = { readonly name: string; readonly blow: Blow }

const wasKilled = ({ end, stderr }: Ended): string[] =>
  end === 'SIGKILL' ? [] : [`it was not killed, and ended with ${end}: ${stderr}`]

const wrongsOf = async (scenario: Scenario, blow: Blow): Promise<string[]> => {
  await using world = await prepared(scenario)
  const ended = await world.run(scenario.words, { blow })
  // Of a whole answer it may have made something before the signal comes.
  const mayEnd = 'byte' in blow && blow.part === 'answer' && ended.end === 0
  return [...(mayEnd ? [] : wasKilled(ended)), ...(await aftermath(world, scenario))]
}

const casesOf = async (scenario: Scenario): Promise<{ steps: Case[]; bytes: Case[] }> => {
  await using world = await prepared(scenario)
  const names = await world.pointsOf(scenario.words)
  const steps = names.map((at): Case => ({ name: at, blow: { at, how: 'SIGKILL' } }))
  const bytes = parts[scenario.name].map(({ operation, part }) => {
    const length = world.passed.find((call) => call.operation === operation)?.[part] ?? 0
    return Array.from({ length: length + 1 }, (_, byte): Case => {
      return { name: `${operation} ${part} byte ${byte}`, blow: { operation, part, byte } }
    })
  })
  if (isFull) return { steps, bytes: bytes.flat() }
  const few = spread(steps, short.steps[scenario.name])
  return { steps: few, bytes: bytes.flatMap((each) => spread(each, short.bytes)) }
}

describe.each(scenarios)('$name', (scenario) => {
  test('killed at any step, or at any byte, it buys once and loses nothing', { timeout }, async () => {
    const { steps, bytes } = await casesOf(scenario)
    const lines = await brokenCases([...steps, ...bytes], ({ blow }) => wrongsOf(scenario, blow))
    expect(lines).toEqual([])
    if (isFull) console.info(`${scenario.name}: killed at ${steps.length} steps and ${bytes.length} bytes`)
  })

  test.runIf(isFull)(
    'killed at any system call on its files, it does, too',
    { timeout },
    async ({ skip }) => {
      if (cannotTrace) skip(cannotTrace)
      const calls = await callsOf(scenario)
      const cases = calls.map((call) => ({ name: `${call.call} #${call.nth}`, call }))
      const lines = await brokenCases(cases, async ({ call }) => {
        await using world = await prepared(scenario)
        const under = disturbing(world.state, call, 'signal=SIGKILL')
        const ended = await world.run(scenario.words, { under })
        return [...wasKilled(ended), ...(await aftermath(world, scenario))]
      })
      expect(lines).toEqual([])
      console.info(`${scenario.name}: killed at ${cases.length} system calls`)
    },
  )
})

test('what stands in the journal is on the disk before a byte leaves', { timeout }, async ({ skip }) => {
  if (cannotTrace) skip(cannotTrace)
  const [, , chain] = scenarios
  if (chain === undefined) throw new Error('there is no chain')
  await using world = await prepared(chain)
  const list = path.join(world.home, 'calls')
  const { end } = await world.run(chain.words, { under: watching(list) })
  expect([end, sentSafely(list)]).toEqual([
    0,
    [
      { method: 'POST', isOnDisk: true },
      { method: 'PUT', isOnDisk: true },
    ],
  ])
})
