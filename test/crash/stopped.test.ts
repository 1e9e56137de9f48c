// A run that is stopped at each step on the network, past its deadline, while another run has the same reference.
import { expect, test } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { again } from './again.ts'
import { chain, idempotentChain, prepared, type Scenario } from './scenarios.ts'
import { brokenPromises, notedIn, stages, untruths } from './verdict.ts'
import type { Blow } from './world.ts'

const timeout = isFullRun ? 600_000 : 60_000

type Case = { readonly name: string; readonly at: string; readonly scenario: Scenario }

const wrongsOf = async ({ at, scenario: { words, ...scenario } }: Case): Promise<string[]> => {
  await using world = await prepared({ words, ...scenario })
  const wrongs: string[] = []
  const onReached = async (): Promise<void> => {
    world.putAhead(stages.quiet)
    wrongs.push(...(await again(world, words)))
  }
  const blow: Blow = { at, how: 'SIGSTOP', onReached }
  const { end, stderr } = await world.run(words, { blow })
  const bought = (await world.orders()).filter(({ state }) => isPastPending(state))
  if (bought.length !== 1) wrongs.push(`it has bought ${bought.length} times`)
  // The first entry is that of the stopped run, unless that run was stopped before it wrote one.
  const first = notedIn(world.journalFile).at(-1)
  const wanted = first?.orderId === bought[0]?.id ? 0 : 11
  if (end !== wanted && !isBeforeIntent(stderr)) {
    wrongs.push(`the stopped run ended with ${end}, not ${wanted}: ${stderr}`)
  }
  wrongs.push(...(await brokenPromises(world)))
  wrongs.push(...(await untruths(world, { fromMs: stages.quiet })), ...(await brokenPromises(world)))
  return [...new Set(wrongs)]
}

/** Then create without --idempotent finds the reference in use. */
const isBeforeIntent = (stderr: string): boolean => stderr.includes('is already used by the order')

test.runIf(process.platform === 'linux')(
  'stopped while another run buys under its reference, it does not buy again',
  { timeout },
  async () => {
    const cases: Case[] = []
    for (const scenario of [chain, idempotentChain]) {
      await using world = await prepared(scenario)
      const names = (await world.pointsOf(scenario.words)).filter((name) => name.startsWith('socket: '))
      for (const at of isFullRun ? names : sampleEvenly(names, 3)) {
        cases.push({ name: `${scenario.name}: ${at}`, at, scenario })
      }
    }
    expect(await collectFailures(cases, wrongsOf)).toEqual([])
    if (isFullRun) console.info(`stopped at ${cases.length} steps`)
  },
)
