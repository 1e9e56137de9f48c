// Processes of two machines buy with one journal on PostgreSQL, while they are killed or stopped, and while the database
// restarts or loses connections. The log of the service shows that nothing was bought twice, lost, or over a limit.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { collectFailures, isFullRun } from '../support/cases.ts'
import { playTeam, type Size } from './team/play.ts'
import { openTeam } from './team/world.ts'

/** One schedule alone: TEAM_SEED=7 npx vitest run test/crash/team.test.ts */
const only = Number(process.env.TEAM_SEED) || undefined

const seeds =
  only === undefined ? Array.from({ length: isFullRun ? 200 : 1 }, (_, index) => index + 1) : [only]

const size: Size = isFullRun
  ? { batchOrders: 320, singles: 80, processes: 8, events: 30 }
  : { batchOrders: 44, singles: 16, processes: 4, events: 8 }

/** Longer than a run holds an order. */
const stopMs = 145_000

/** Of real machines, in the full run: libfaketime changes what the system says. */
const fakeTime = (time: string): Record<string, string> => ({
  LD_PRELOAD: execFileSync('faketime', ['-f', time, 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim(),
  FAKETIME: time,
  DONT_FAKE_MONOTONIC: '1',
})

/** The clock of the second home is an hour off in `npm test`, and in two of five schedules of the full run. */
const chooseClock = (seed: number): Record<string, string> => {
  if (!isFullRun) return { MACHINE_AHEAD_MS: String(3_600_000) }
  if (seed % 5 === 1) return fakeTime('+1h')
  return seed % 5 === 3 ? fakeTime('-1h') : {}
}

const findProblems = async ({ seed }: { readonly seed: number }): Promise<string[]> => {
  await using team = await openTeam({
    isBehindBouncer: isFullRun && seed % 2 === 0,
    benEnv: chooseClock(seed),
  })
  const { problems, events } = await playTeam(team, seed, {
    ...size,
    stopMs: isFullRun && seed % 10 === 5 ? stopMs : undefined,
  })
  return problems.length === 0 ? [] : [...problems, `the schedule: ${events.join(', ')}`]
}

test('two machines that are killed and lose the journal buy each order once, within their limits', {
  timeout: isFullRun ? 40 * 3_600_000 : 240_000,
}, async () => {
  const cases = seeds.map((seed) => ({ name: `TEAM_SEED=${seed}`, seed }))
  expect(await collectFailures(cases, findProblems, 1)).toEqual([])
})
