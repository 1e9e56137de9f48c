// Lets a team buy a batch and single orders during a seeded schedule of failures, and settles the rest afterwards.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { isPastPending } from '../../src/contract/states.ts'
import { createRandom } from '../../src/service/random.ts'
import { findLost, findOverspending, findWrongCards, findWrongEnds, type Limits } from './team-checks.ts'
import { chooseEvent } from './team-events.ts'
import type { Home, Team, TeamRun } from './team-world.ts'

export type Size = {
  readonly batchOrders: number
  readonly singles: number
  /** Processes at once, in both homes together. */
  readonly processes: number
  readonly events: number
  /** How long a stopped process stops. Undefined: its leases are set back in the journal. */
  readonly stopMs?: number | undefined
}

const cardCents = 2_500
/** The limit of order-service.md 8. */
const cardsPerOrder = 5

/** How many cards each row wants. Together they fill the orders. */
const planRows = (orders: number): number[] => {
  const rows: number[] = []
  for (let left = orders * cardsPerOrder; left > 0; left -= rows.at(-1) ?? 0)
    rows.push(Math.min(left, 1 + (rows.length % 7)))
  return rows
}

const format = (cents: number): string => (cents / 100).toFixed(2)

const setBudget = (team: Team, { budget }: Limits): Promise<string> =>
  team.mustRun(team.ana, 'profile', 'limits', '--budget', `${format(budget)}USD/month`)

const createWords = (reference: string, ...more: readonly string[]): string[] =>
  ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference, '--json'].concat(more)

/** The commands that buy one order. Both homes try each of them. */
const listSingleWords = (index: number): string[][] => {
  const reference = `single-${index}`
  if (index % 3 === 0) return [createWords(reference), ['confirm', `ref:${reference}`, '--json']]
  return [createWords(reference, '--confirm', ...(index % 3 === 1 ? ['--idempotent'] : []))]
}

const batchWords = ({ cap }: Limits): string[] => [
  'batch',
  'run',
  'gifts',
  '--max-total',
  format(cap),
  '--json',
]

const workerWords = ['batch', 'run', 'gifts', '--worker', '--json']

/** The batch is complete, or reached a limit. */
const isBatchOver = ({ end }: TeamRun): boolean => end === 0 || end === 13

type Round = Size & { readonly limits: Limits; readonly random: () => number }

/** The single orders that are not bought, and a few that are. */
const listSingles = async ({ service }: Team, { singles }: Size): Promise<number[]> => {
  const orders = await service.listOrders()
  const bought = new Set(orders.filter(({ state }) => isPastPending(state)).map(({ reference }) => reference))
  return Array.from({ length: singles }, (_, index) => index).filter(
    (index) => index % 6 === 0 || !bought.has(`single-${index}`),
  )
}

/** All processes of the round have ended when it resolves. */
const playRound = async (team: Team, round: Round): Promise<string[]> => {
  const { limits, processes, random } = round
  const singles = await listSingles(team, round)
  const names: string[] = []
  let isOver = false
  const runBatch = async (home: Home): Promise<void> => {
    for (let tries = 0; tries < 12; tries++) {
      const isWorker = home === team.ben && tries % 2 === 1
      if (isBatchOver(await team.run(home, isWorker ? workerWords : batchWords(limits)))) return
    }
  }
  const buySingles = async (home: Home, indexes: readonly number[]): Promise<void> => {
    for (const index of indexes) for (const words of listSingleWords(index)) await team.run(home, words)
  }
  const desks = Array.from({ length: processes }, (_, desk) => {
    const home = team.homes[desk % 2] as Home
    // Of each four desks, two run the batch, one in each home. The others divide the single orders of their home.
    if (desk % 4 < 2) return runBatch(home)
    const parts = Math.max(1, Math.floor(processes / 4))
    const share = singles.filter((_, index) => index % parts === Math.floor(desk / 4))
    // Both homes try the same references, sometimes at the same time.
    const start = Math.floor(random() * share.length)
    return buySingles(home, [...share.slice(start), ...share.slice(0, start)])
  })
  const playEvents = async (): Promise<void> => {
    const step = Math.max(1, Math.floor((round.batchOrders * 1.2) / round.events))
    for (let number = 0; number < round.events && !isOver; number++) {
      const next = team.service.countSent() + 1 + Math.floor(random() * step * 2)
      await team.service.wait(() => isOver || team.service.countSent() >= next, 1_500)
      const event = chooseEvent(random, round.stopMs)
      names.push(event.name)
      await event.happen(team)
    }
  }
  const events = playEvents()
  await Promise.all(desks)
  isOver = true
  await events
  return names
}

/** What the round had no time to buy is bought now, when nothing fails any more. */
const settle = async (team: Team, limits: Limits, size: Size): Promise<string[]> => {
  const { service, homes, ana, ben } = team
  const problems: string[] = []
  // After the proof, orders whose confirm was never sent do not count against the limits any more.
  for (const time of ['1s', '17m', '62s']) {
    await service.advance(time)
    await Promise.all(homes.map((home) => team.run(home, ['reconcile', '--json'])))
  }
  await Promise.all(homes.map((home) => team.mustRun(home, 'reconcile')))
  const ends = new Map<string, TeamRun>()
  for (let tries = 0; tries < 3 && ends.values().every(({ end }) => end !== 0); tries++) {
    for (const run of await Promise.all(homes.map((home) => team.run(home, batchWords(limits)))))
      ends.set(run.home.name, run)
  }
  for (const { home, end, stderr } of ends.values())
    if (end !== 0) problems.push(`${home.name}: in the end, the batch ended with ${end}: ${stderr}`)
  for (const index of await listSingles(team, size)) {
    const words = createWords(`single-${index}`, '--confirm', '--idempotent')
    const home = index % 2 === 0 ? ana : ben
    let last = await team.run(home, words)
    // A create that a killed process has sent may be answered until its deadline.
    for (let tries = 0; tries < 40 && last.stderr.includes('"retryable":true'); tries++)
      last = await team.run(home, words)
    if (last.end !== 0) problems.push(`in the end, single-${index} ended with ${last.end}: ${last.stderr}`)
  }
  for (const home of homes) await team.mustRun(home, 'list', '--refresh', '--limit', '1000', '--json')
  return problems
}

/** Returns what went wrong, and what happened. */
export const playTeam = async (
  team: Team,
  seed: number,
  size: Size,
): Promise<{ readonly problems: string[]; readonly events: string[] }> => {
  const random = createRandom(`team ${seed}`)
  const { homes, ana } = team
  const rows = planRows(size.batchOrders)
  writeFileSync(
    path.join(ana.folder, 'gifts.json'),
    JSON.stringify(
      rows.map((quantity, row) => ({ sku: 'GAME-US', quote: 25, quantity, name: `row ${row}` })),
    ),
  )
  const batch = size.batchOrders * cardsPerOrder * cardCents
  const all = { cap: batch, budget: batch + size.singles * cardCents }
  const some = {
    cap: Math.floor(all.cap * (0.4 + random() * 0.6)),
    budget: Math.floor(all.budget * (0.4 + random() * 0.6)),
  }
  await setBudget(team, some)
  await team.mustRun(ana, 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  const events: string[] = []
  const problems: string[] = []
  for (const limits of [some, all]) {
    await setBudget(team, limits)
    events.push(...(await playRound(team, { ...size, limits, random })))
    problems.push(...(await findOverspending(team, limits)), ...(await findLost(team)))
  }
  problems.push(...(await settle(team, all, size)))
  problems.push(...(await findOverspending(team, all)), ...(await findLost(team, { isSettled: true })))
  for (const home of homes) problems.push(...(await findWrongCards(team, home, rows)))
  problems.push(...findWrongEnds(team.runs), ...(await findUnsettled(team, all)))
  return { problems: [...new Set(problems)], events }
}

/** Everything is bought, so the budget is used up: nothing is reserved for an order that was not confirmed. */
const findUnsettled = async (team: Team, { budget }: Limits): Promise<string[]> => {
  const [shown] = JSON.parse(await team.mustRun(team.ben, 'profile', 'limits', '--json')).budgets
  const spooled = team.listSpooled()
  return [
    ...(Math.round(shown.spent * 100) === budget ? [] : [`the journal counts ${shown.spent} of the budget`]),
    ...(spooled.length === 0 ? [] : [`outcomes were not written to the journal: ${spooled}`]),
  ]
}
