// Processes of two machines confirm at once what a budget or the cap of a batch allows only in part.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findLost, findOverspending } from './team/checks.ts'
import { runTogether } from './team/together.ts'
import { openTeam, type Team, type TeamRun } from './team/world.ts'

const listEnds = (runs: readonly TeamRun[]): unknown[] => runs.map(({ end }) => end).toSorted()
const said = (runs: readonly TeamRun[]): string => runs.map(({ stderr }) => stderr).join('')

const noLimit = 1_000_000

test('of eight confirms, a budget for three allows three', async () => {
  await using team = await openTeam()
  const { ana } = team
  const references = Array.from({ length: 8 }, (_, index) => `ref-${index}`)
  await team.mustRun(ana, 'profile', 'limits', '--budget', '99USD/month')
  for (const reference of references)
    await team.mustRun(ana, 'create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference)
  const runs = await runTogether(
    team,
    'calls',
    references.map((reference) => ['confirm', `ref:${reference}`, '--json']),
  )
  expect(listEnds(runs), said(runs)).toEqual([0, 0, 0, 12, 12, 12, 12, 12])
  expect(await findOverspending(team, { cap: noLimit, budget: 9_900 })).toEqual([])
  expect(await findLost(team, { isSettled: true })).toEqual([])
})

/** A batch of twelve orders. With a cap of 0, they are created and not confirmed. */
const createOrders = async (team: Team): Promise<readonly string[]> => {
  const { ana } = team
  writeFileSync(
    path.join(ana.folder, 'gifts.json'),
    JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 60 }]),
  )
  const words = ['batch', 'run', 'gifts', '--json']
  await team.mustRun(ana, 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  expect((await team.run(ana, [...words, '--max-total', '0', '--parallel', '12'])).end).toBe(13)
  expect(await team.service.listOrders()).toHaveLength(12)
  return words
}

test('six workers spend no more than the cap of their batch', async () => {
  await using team = await openTeam()
  const words = await createOrders(team)
  const command = [...words, '--max-total', '400', '--parallel', '1']
  const runs = await runTogether(team, 'calls', Array(6).fill(command))
  expect(listEnds(runs), said(runs)).toEqual(Array(6).fill(13))
  expect(await findOverspending(team, { cap: 40_000, budget: noLimit })).toEqual([])
  expect(await findLost(team, { isSettled: true })).toEqual([])
})

test('workers and confirms by hand spend no more than the cap together', async () => {
  await using team = await openTeam()
  const words = await createOrders(team)
  const command = [...words, '--max-total', '400', '--parallel', '1']
  const byHand = ['0009', '0010', '0011', '0012'].map((slot) => ['confirm', `ref:gifts-${slot}`, '--json'])
  const runs = await runTogether(team, 'calls', [command, ...byHand, command])
  // The order that a worker of the batch confirms first is already confirmed, or its confirm is pending.
  expect(
    runs.map(({ end }) => [0, 3, 6, 13].includes(Number(end))),
    said(runs),
  ).toEqual(runs.map(() => true))
  const confirmed = (await team.service.listOrders()).filter(({ state }) => state !== 'created')
  expect(confirmed).toHaveLength(3)
  expect(await findOverspending(team, { cap: 40_000, budget: noLimit })).toEqual([])
  expect(await findLost(team, { isSettled: true })).toEqual([])
})
