// Sixteen processes of two machines create and confirm one reference at once, with one journal on PostgreSQL.
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { findLost, findOverspending } from './team-checks.ts'
import { openTeam, type Team, type TeamRun } from './team-world.ts'

const timeout = 120_000

/** Holds back what locks a reference until all processes wait, so that they start together. */
const runTogether = async (team: Team, count: number, words: readonly string[]): Promise<TeamRun[]> => {
  const { admin, database, homes, ana, ben } = team
  // Creates the tables.
  await team.mustRun(ana, 'profile', 'limits', '--budget', '1000USD/day')
  const holder = new Client({ ...admin, database: database.name, ssl: false })
  await holder.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE reference_locks IN SHARE ROW EXCLUSIVE MODE')
    const runs = Promise.all(
      Array.from({ length: count }, (_, index) => team.run(homes[index % 2] === ana ? ana : ben, words)),
    )
    let isOver = false
    void runs.then(() => {
      isOver = true
    })
    const startedAt = performance.now()
    for (let waiting = 0; waiting < count && !isOver && performance.now() < startedAt + 20_000; ) {
      const [row] = await database.admin(
        "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
      )
      waiting = Number(row?.waiting)
    }
    await holder.query('COMMIT')
    return await runs
  } finally {
    await holder.end()
  }
}

const limits = { cap: 0, budget: 100_000 }

const countRequests = async ({ service }: Team): Promise<Record<string, number>> => {
  const log = (await service.readLog()).filter(({ path }) => path.startsWith('/order/'))
  return Object.fromEntries(
    ['POST', 'PUT'].map((method) => [method, log.filter((each) => each.method === method).length]),
  )
}

test.for(Array.from({ length: isFullRun ? 10 : 1 }, (_, round) => round))(
  'of sixteen creates of one reference, one buys and fifteen are refused (round %i)',
  { timeout },
  async () => {
    await using team = await openTeam()
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'shared']
    const runs = await runTogether(team, 16, [...words, '--confirm', '--json'])
    const ends = runs.map(({ end }) => end).toSorted()
    expect(ends, runs.map(({ stderr }) => stderr).join('')).toEqual([0, ...Array(15).fill(11)])
    expect(await countRequests(team)).toEqual({ POST: 1, PUT: 1 })
    expect(await findOverspending(team, limits)).toEqual([])
    expect(await findLost(team, { isSettled: true })).toEqual([])
  },
)

test.for(Array.from({ length: isFullRun ? 10 : 1 }, (_, round) => round))(
  'of eight confirms of one order, one succeeds (round %i)',
  { timeout },
  async () => {
    await using team = await openTeam()
    await team.mustRun(
      team.ana,
      'create',
      '--product',
      'GAME-US:25',
      '--wallet',
      'USD',
      '--reference',
      'shared',
    )
    const runs = await runTogether(team, 8, ['confirm', 'ref:shared', '--json'])
    const ends = runs.map(({ end }) => end)
    // During the confirm the outcome is unknown (6). After it, the order is already confirmed (3).
    expect(
      ends.filter((end) => end !== 3 && end !== 6),
      runs.map(({ stderr }) => stderr).join(''),
    ).toEqual([0])
    expect(await countRequests(team)).toEqual({ POST: 1, PUT: 1 })
    expect(await findOverspending(team, limits)).toEqual([])
    expect(await findLost(team, { isSettled: true })).toEqual([])
  },
)
