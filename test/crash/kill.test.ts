// The built executable, killed at every step and at every byte of what spends. Then the journal is held against
// the service: nothing sent without a line in it, nothing lost, nothing sent twice, and all of it reconciled.
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { differences, expectedOf } from './again.ts'
import {
  aftermath,
  callsOf,
  chain,
  idempotentChain,
  idempotentRest,
  prepared,
  type Scenario,
  scenarios,
} from './scenarios.ts'
import { cannotTrace, disturbing, sentSafely, watching } from './strace.ts'
import { brokenPromises, stageNames, stages } from './verdict.ts'
import type { Blow, Ended } from './world.ts'

const timeout = isFullRun ? 1_800_000 : 60_000

type Part = { readonly operation: 'create' | 'confirm'; readonly part: 'request' | 'answer' }

/** The calls of create --confirm are those of the scenarios before it. */
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
  'create --idempotent --confirm': [{ operation: 'create', part: 'request' }],
  'create --idempotent --confirm of a created order': [{ operation: 'confirm', part: 'request' }],
}

/** How many of each a short run takes. */
const short = {
  steps: {
    ...{ create: 2, confirm: 2, 'create --confirm': 6 },
    ...{ 'create --idempotent --confirm': 4, 'create --idempotent --confirm of a created order': 2 },
  },
  bytes: 2,
} as const

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
  if (isFullRun) return { steps, bytes: bytes.flat() }
  const few = sampleEvenly(steps, short.steps[scenario.name])
  return { steps: few, bytes: bytes.flatMap((each) => sampleEvenly(each, short.bytes)) }
}

describe.each(scenarios)('$name', (scenario) => {
  test('killed at any step, or at any byte, it buys once and loses nothing', { timeout }, async () => {
    const { steps, bytes } = await casesOf(scenario)
    const lines = await collectFailures([...steps, ...bytes], ({ blow }) => wrongsOf(scenario, blow))
    expect(lines).toEqual([])
    if (isFullRun) console.info(`${scenario.name}: killed at ${steps.length} steps and ${bytes.length} bytes`)
  })

  test.runIf(isFullRun)(
    'killed at any system call on its files, it does, too',
    { timeout },
    async ({ skip }) => {
      if (cannotTrace) skip(cannotTrace)
      const calls = await callsOf(scenario)
      const cases = calls.map((call) => ({ name: `${call.call} #${call.nth}`, call }))
      const lines = await collectFailures(cases, async ({ call }) => {
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

type Kills = { readonly name: string; readonly at: readonly string[] }

/** Each of these runs is to be killed: at once, and when more and more is certain. */
const wrongsOfKills = async ({ at }: Kills): Promise<string[]> => {
  await using world = await prepared(idempotentChain)
  const wrongs: string[] = []
  for (const [index, stage] of stageNames.entries()) {
    world.putAhead(stages[stage])
    const expected = await expectedOf(world, idempotentChain.words)
    const before = world.asked.length
    const blow: Blow = { at: at[index] ?? '', how: 'SIGKILL' }
    const ended = await world.run(idempotentChain.words, { blow })
    const sent = world.asked.slice(before).map(({ operation }) => operation)
    // It may never come to that step. Then it ends as if nobody had wanted to kill it.
    if (ended.end !== 'SIGKILL') wrongs.push(...differences(expected, ended, sent))
    wrongs.push(...(await brokenPromises(world)))
  }
  return [...wrongs, ...(await aftermath(world, idempotentChain, stages.proven))]
}

test('killed at each of four runs, create --idempotent --confirm buys once', { timeout }, async () => {
  const names = await Promise.all(
    [idempotentChain, idempotentRest].map(async (scenario) => {
      await using world = await prepared(scenario)
      return await world.pointsOf(scenario.words)
    }),
  )
  const steps = [...new Set(names.flat())]
  const cases = Array.from({ length: isFullRun ? 400 : 2 }, (_, index): Kills => {
    // Different strides, so that the runs meet in ever other combinations of steps.
    const at = [3, 7, 11, 13].map(
      (factor, run) => steps[(index * factor * 17 + run * 29) % steps.length] ?? '',
    )
    return { name: at.join(', '), at }
  })
  expect(await collectFailures(cases, wrongsOfKills)).toEqual([])
  if (isFullRun) console.info(`killed at each of four runs: ${cases.length} times`)
})

test('what stands in the journal is on the disk before a byte leaves', { timeout }, async ({ skip }) => {
  if (cannotTrace) skip(cannotTrace)
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
