// Lets a team buy a batch and single orders during a seeded schedule of failures, and settles the rest afterwards.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createRandom } from '../../../src/service/cards.ts'
import { findLost, findOverspending, findWrongCards, findWrongEnds, type Limits } from './checks.ts'
import {
  batchWords,
  cardCents,
  cardsPerOrder,
  listSingleWords,
  planRows,
  setBudget,
  workerWords,
} from './commands.ts'
import { chooseEvent } from './events.ts'
import { findUnsettled, listSingles, settle } from './settle.ts'
import type { Home, Team, TeamRun } from './world.ts'

export type Size = {
  readonly batchOrders: number
  readonly singles: number
  /** Processes at once, in both homes together. */
  readonly processes: number
  readonly events: number
  /** How long a stopped process stops. Undefined: all orders are released in the journal. */
  readonly stopMs?: number | undefined
}

/** The batch is complete, or reached a limit. */
const isBatchOver = ({ end }: TeamRun): boolean => end === 0 || end === 13

type Round = Size & { readonly limits: Limits; readonly random: () => number }

/** All processes of the round have ended when it resolves. */
const playRound = async (team: Team, round: Round): Promise<string[]> => {
  const { limits, processes, random } = round
  const singles = await listSingles(team, round.singles)
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
  // A statement that was not sent must not be cut after the round.
  team.proxy.clearCut()
  return names
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
  problems.push(...(await settle(team, all, size.singles)))
  problems.push(...(await findOverspending(team, all)), ...(await findLost(team, { isSettled: true })))
  for (const home of homes) problems.push(...(await findWrongCards(team, home, rows)))
  problems.push(...findWrongEnds(team.runs), ...(await findUnsettled(team, all)))
  return { problems: [...new Set(problems)], events }
}
