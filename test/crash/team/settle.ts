// Buys what a team had no time to buy while processes were killed, and finds what is still unsettled.
import { isPastPending } from '../../../src/contract/states.ts'
import type { Limits } from './checks.ts'
import { batchWords, createWords } from './commands.ts'
import type { Home, Team, TeamRun } from './world.ts'

/** The single orders that are not bought, and a few that are. */
export const listSingles = async ({ service }: Team, count: number): Promise<number[]> => {
  const orders = await service.listOrders()
  const bought = new Set(orders.filter(({ state }) => isPastPending(state)).map(({ reference }) => reference))
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => index % 6 === 0 || !bought.has(`single-${index}`),
  )
}

/** What the round had no time to buy is bought now, when nothing fails any more. */
export const settle = async (team: Team, limits: Limits, singleCount: number): Promise<string[]> => {
  const { homes, ana, ben } = team
  const problems: string[] = []
  // After the proof, orders whose confirm was never sent do not count against the limits any more.
  for (const seconds of [1, 17 * 60, 62]) {
    await team.passTime(seconds)
    await Promise.all(homes.map((home) => team.run(home, ['reconcile', '--json'])))
  }
  await Promise.all(homes.map((home) => team.mustRun(home, 'reconcile')))
  const ends = new Map<string, TeamRun>()
  const isDone = (home: Home): boolean => ends.get(home.name)?.end === 0
  for (let tries = 0; tries < 3 && !homes.every(isDone); tries++) {
    for (const run of await Promise.all(homes.map((home) => team.run(home, batchWords(limits)))))
      ends.set(run.home.name, run)
  }
  for (const { home, end, stderr } of ends.values())
    if (end !== 0) problems.push(`${home.name}: in the end, the batch ended with ${end}: ${stderr}`)
  for (const index of await listSingles(team, singleCount)) {
    const words = createWords(`single-${index}`, '--confirm', '--idempotent')
    const home = index % 2 === 0 ? ana : ben
    const { end, stderr } = await team.run(home, words)
    if (end !== 0) problems.push(`in the end, single-${index} ended with ${end}: ${stderr}`)
  }
  for (const home of homes) await team.mustRun(home, 'list', '--refresh', '--limit', '1000', '--json')
  return problems
}

/** Everything is bought, so the budget is used up: nothing is reserved for an order that was not confirmed. */
export const findUnsettled = async (team: Team, { budget }: Limits): Promise<string[]> => {
  const [shown] = JSON.parse(await team.mustRun(team.ben, 'profile', 'limits', '--json')).budgets
  const kept = team.listKept()
  return [
    ...(Math.round(shown.spent * 100) === budget ? [] : [`the journal counts ${shown.spent} of the budget`]),
    ...(kept.length === 0 ? [] : [`outcomes were not written to the journal: ${kept}`]),
  ]
}
