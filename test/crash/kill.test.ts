// Kills the built executable at every step and every byte of a purchase. Then compares the journal with the service:
// every request is recorded, no order is lost, nothing is sent twice, and reconcile settles all of it.
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFullRun, sampleEvenly } from '../support/cases.ts'
import { type Case, expectNoProblems } from './checks.ts'
import { createAndConfirm, prepareWorld, type Scenario, scenarios } from './scenarios.ts'
import { cannotTrace, countSyncs, readSentRequests, traceWrites } from './strace.ts'
import type { Injection, RunResult } from './world.ts'

const timeout = isFullRun ? 1_800_000 : 120_000

type Part = `${'create' | 'confirm'} ${'request' | 'response'}`

/** create --confirm makes the same calls as the scenarios before it. */
const parts: Readonly<Record<Scenario['name'], readonly Part[]>> = {
  create: ['create request', 'create response'],
  confirm: ['confirm request', 'confirm response'],
  'create --confirm': [],
  'create --idempotent --confirm': ['create request'],
  'create --idempotent --confirm of a created order': ['confirm request'],
}

/** How many cases a short run has. */
const short = {
  steps: {
    ...{ create: 2, confirm: 2, 'create --confirm': 6 },
    ...{ 'create --idempotent --confirm': 4, 'create --idempotent --confirm of a created order': 2 },
  },
  bytes: 2,
} as const

const wasKilled = ({ end, stderr }: RunResult): string[] =>
  end === 'SIGKILL' ? [] : [`it was not killed, and ended with ${end}: ${stderr}`]

const casesOf = async (scenario: Scenario): Promise<readonly Case[]> => {
  await using world = await prepareWorld(scenario)
  const caseOf = (name: string, injection: Injection, mayEnd = false): Case => ({
    ...{ name, scenario },
    run: async (own) => {
      const ended = await own.run(scenario.words, { injection })
      return mayEnd && ended.end === 0 ? [] : wasKilled(ended)
    },
  })
  const names = await world.pointsOf(scenario.words)
  const steps = names.map((at) => caseOf(at, { at, how: 'SIGKILL' }))
  const bytes = parts[scenario.name].map((which) => {
    const [operation, part] = which.split(' ') as ['create' | 'confirm', 'request' | 'response']
    const length = world.passed.find((call) => call.operation === operation)?.[part] ?? 0
    return Array.from({ length: length + 1 }, (_, byte) =>
      // After a complete response, the process may end before the signal arrives.
      caseOf(`${which} byte ${byte}`, { operation, part, byte }, part === 'response'),
    )
  })
  if (isFullRun) return [...steps, ...bytes.flat()]
  const few = sampleEvenly(steps, short.steps[scenario.name])
  return [...few, ...bytes.flatMap((each) => sampleEvenly(each, short.bytes))]
}

describe.each(scenarios)('$name', (scenario) => {
  test('buys once and loses nothing if it is killed at any step or byte', { timeout }, async () => {
    await expectNoProblems(await casesOf(scenario))
  })
})

test('the journal is on the disk before a request leaves', { timeout }, async ({ skip }) => {
  if (cannotTrace) skip(cannotTrace)
  await using world = await prepareWorld(createAndConfirm)
  const list = path.join(world.home, 'calls')
  const { end } = await world.run(createAndConfirm.words, { under: traceWrites(list) })
  expect([end, readSentRequests(list)]).toEqual([
    0,
    [
      { method: 'POST', isOnDisk: true },
      { method: 'PUT', isOnDisk: true },
    ],
  ])
  // Each file: its first page and the log. The account's first call is noted with an fsync, later calls without.
  expect([countSyncs(list, 'journal.db'), countSyncs(list, 'machine.db')]).toEqual([10, 3])
})
