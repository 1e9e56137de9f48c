// A run is stopped at each network step, past its deadline, while a second run uses the same reference.
import { expect, test } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { findBrokenPromises, findJournalErrors, readJournalEntries, stages } from './checks.ts'
import { runAgain } from './run-again.ts'
import { createAndConfirm, idempotentCreateAndConfirm, prepareWorld, type Scenario } from './scenarios.ts'
import type { Injection } from './world.ts'

const timeout = isFullRun ? 600_000 : 120_000

type Case = { readonly name: string; readonly at: string; readonly scenario: Scenario }

const findProblems = async ({ at, scenario: { words, ...scenario } }: Case): Promise<string[]> => {
  await using world = await prepareWorld({ words, ...scenario })
  const problems: string[] = []
  const onReached = async (): Promise<void> => {
    world.putAhead(stages.quiet)
    problems.push(...(await runAgain(world, words)))
  }
  const injection: Injection = { at, how: 'SIGSTOP', onReached }
  const { end, stderr } = await world.run(words, { injection })
  const bought = (await world.orders()).filter(({ state }) => isPastPending(state))
  if (bought.length !== 1) problems.push(`it has bought ${bought.length} times`)
  // The first entry is that of the stopped run, unless that run was stopped before it wrote one.
  const first = (await readJournalEntries(world.journalFile)).at(-1)
  const wanted = first?.orderId === bought[0]?.id || words.includes('--idempotent') ? 0 : 11
  if (end !== wanted && !isBeforeIntent(stderr)) {
    problems.push(`the stopped run ended with ${end}, not ${wanted}: ${stderr}`)
  }
  problems.push(...(await findBrokenPromises(world)))
  problems.push(
    ...(await findJournalErrors(world, { fromMs: stages.quiet })),
    ...(await findBrokenPromises(world)),
  )
  return [...new Set(problems)]
}

/** Then create without --idempotent finds that the reference is used. */
const isBeforeIntent = (stderr: string): boolean => stderr.includes('is already used by the order')

test.runIf(process.platform === 'linux')(
  'a stopped run does not buy again after another run bought under its reference',
  { timeout },
  async () => {
    const cases: Case[] = []
    for (const scenario of [createAndConfirm, idempotentCreateAndConfirm]) {
      await using world = await prepareWorld(scenario)
      const names = (await world.pointsOf(scenario.words)).filter((name) => name.startsWith('socket: '))
      for (const at of isFullRun ? names : sampleEvenly(names, 3)) {
        cases.push({ name: `${scenario.name}: ${at}`, at, scenario })
      }
    }
    expect(await collectFailures(cases, findProblems)).toEqual([])
    if (isFullRun) console.info(`stopped at ${cases.length} steps`)
  },
)
