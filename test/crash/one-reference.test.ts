// Sixteen processes of two machines create and confirm one reference at once, with one journal on PostgreSQL.
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { findLost, findOverspending } from './team/checks.ts'
import { runTogether } from './team/together.ts'
import { openTeam, type Team } from './team/world.ts'

const limits = { cap: 0, budget: 100_000 }
const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'shared']

const countRequests = ({ service }: Team): Record<string, number> => {
  const log = service.log.filter(({ path }) => path.startsWith('/order/'))
  return Object.fromEntries(
    ['POST', 'PUT'].map((method) => [method, log.filter((each) => each.method === method).length]),
  )
}

test.for(Array.from({ length: isFullRun ? 10 : 1 }, (_, round) => round))(
  'of sixteen creates of one reference, one buys and fifteen are refused (round %i)',
  async () => {
    await using team = await openTeam()
    // Without the row of the account, all would wait for it, and not for the reference.
    await team.mustRun(team.ana, ...words.with(-1, 'other'))
    const runs = await runTogether(team, 'orders', Array(16).fill([...words, '--confirm', '--json']))
    const ends = runs.map(({ end }) => end).toSorted()
    expect(ends, runs.map(({ stderr }) => stderr).join('')).toEqual([0, ...Array(15).fill(11)])
    expect(countRequests(team)).toEqual({ POST: 2, PUT: 1 })
    expect(await findOverspending(team, limits)).toEqual([])
    expect(await findLost(team, { isSettled: true })).toEqual([])
  },
)

test.for(Array.from({ length: isFullRun ? 10 : 1 }, (_, round) => round))(
  'of eight confirms of one order, one succeeds (round %i)',
  async () => {
    await using team = await openTeam()
    await team.mustRun(team.ana, ...words)
    const runs = await runTogether(team, 'orders', Array(8).fill(['confirm', 'ref:shared', '--json']))
    const ends = runs.map(({ end }) => end)
    // During the confirm the outcome is unknown (6). After it, the order is already confirmed (3).
    expect(
      ends.filter((end) => end !== 3 && end !== 6),
      runs.map(({ stderr }) => stderr).join(''),
    ).toEqual([0])
    expect(countRequests(team)).toEqual({ POST: 1, PUT: 1 })
    expect(await findOverspending(team, limits)).toEqual([])
    expect(await findLost(team, { isSettled: true })).toEqual([])
  },
)

test.for(Array.from({ length: isFullRun ? 10 : 1 }, (_, round) => round))(
  'of eight create --idempotent of one reference, one buys and all succeed, although a clock is wrong (round %i)',
  async (round) => {
    const benEnv = { MACHINE_AHEAD_MS: String(round % 2 === 0 ? 3_600_000 : -3_600_000) }
    await using team = await openTeam({ benEnv })
    await team.mustRun(team.ana, ...words.with(-1, 'other'))
    const command = [...words, '--idempotent', '--confirm', '--json']
    const runs = await runTogether(team, 'orders', Array(8).fill(command))
    const ends = runs.map(({ end }) => end)
    expect(ends, runs.map(({ stderr }) => stderr).join('')).toEqual(Array(8).fill(0))
    expect(countRequests(team)).toEqual({ POST: 2, PUT: 1 })
    expect(await findOverspending(team, limits)).toEqual([])
    expect(await findLost(team, { isSettled: true })).toEqual([])
  },
)
