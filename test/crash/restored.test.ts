// The journal of a team is restored from a backup that lacks the newest orders.
//
// Guaranteed: an order that was created before the backup and confirmed after it is not confirmed again, because
// orderctl asks for the order first. A machine that used the journal after the backup sends nothing until a person has
// decided.
// Not guaranteed: the journal does not know an order that was created after the backup. A machine that has not used the
// journal since then buys its reference, or its slot of the batch, again.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { query } from '../support/postgres/database.ts'
import { findLost } from './team/checks.ts'
import { createWords } from './team/commands.ts'
import { type Home, openTeam, type Team } from './team/world.ts'

const endConnections = ({ admin, database }: Team): Promise<unknown> =>
  query(admin, 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [
    database.name,
  ])

const backUp = async (team: Team): Promise<void> => {
  const { admin, database } = team
  await endConnections(team)
  await query(admin, `CREATE DATABASE backup TEMPLATE ${database.name} OWNER ${database.nameOf('ana')}`)
}

const restore = async (team: Team): Promise<void> => {
  const { admin, database } = team
  await endConnections(team)
  await query(admin, `DROP DATABASE ${database.name}`)
  await query(admin, `ALTER DATABASE backup RENAME TO ${database.name}`)
}

const runBatch = (cap: number): string[] =>
  `batch run gifts --max-total ${cap} --json --parallel 1`.split(' ')

/** Until the backup, two of four orders of the batch are bought, and the third one is created. */
const restoreOlder = async (team: Team): Promise<void> => {
  const { ana } = team
  await team.mustRun(ana, ...createWords('early'))
  writeFileSync(
    path.join(ana.folder, 'gifts.json'),
    JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 20 }]),
  )
  await team.mustRun(ana, 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  expect((await team.run(ana, runBatch(300))).end).toBe(13)
  await backUp(team)
  await team.mustRun(ana, 'confirm', 'ref:early', '--json')
  await team.mustRun(ana, ...createWords('late', '--confirm'))
  await team.mustRun(ana, ...runBatch(500))
  await restore(team)
}

const listBought = async ({ service }: Team): Promise<string[]> =>
  (await service.listOrders())
    .filter(({ state }) => isPastPending(state))
    .map(({ reference }) => reference)
    .toSorted()

const listConfirms = ({ service }: Team): string[] =>
  service.log.filter(({ method }) => method === 'PUT').map(({ orderId = '' }) => orderId)

const boughtBefore = ['early', 'gifts-0001', 'gifts-0002', 'gifts-0003', 'gifts-0004', 'late']

/** Runs each command that spends. */
const spendAgain = async (team: Team, home: Home): Promise<Record<string, number | string | undefined>> => {
  const commands = {
    confirm: ['confirm', 'ref:early', '--json'],
    create: createWords('early', '--confirm'),
    idempotent: createWords('early', '--confirm', '--idempotent'),
    late: createWords('late', '--confirm'),
    batch: runBatch(500),
  }
  const ends: Record<string, number | string | undefined> = {}
  for (const [name, words] of Object.entries(commands)) ends[name] = (await team.run(home, words)).end
  return ends
}

test('a watch that ends later puts no older call back', async () => {
  await using team = await openTeam()
  const { ana } = team
  await team.mustRun(ana, ...createWords('early', '--confirm'))
  await backUp(team)
  const watching = team.run(ana, ['watch', 'ref:early', '--timeout', '8s'])
  await team.mustRun(ana, ...createWords('late', '--confirm'))
  expect([0, 124]).toContain((await watching).end)
  await restore(team)
  expect((await team.run(ana, createWords('late', '--confirm'))).end).toBe(9)
  expect(await listBought(team)).toEqual(['early', 'late'])
})

test('a machine that has seen newer calls sends nothing until a person has decided', async () => {
  await using team = await openTeam()
  const { ana } = team
  await restoreOlder(team)
  expect(await listBought(team)).toEqual(boughtBefore)
  expect(await spendAgain(team, ana)).toEqual({ confirm: 9, create: 9, idempotent: 9, late: 9, batch: 9 })
  const { stderr } = await team.run(ana, createWords('late', '--confirm'))
  expect(stderr).toContain('the journal was probably restored from a backup or replaced; nothing was sent')
  expect(await listBought(team)).toEqual(boughtBefore)
  // Reading and settling still work.
  await team.mustRun(ana, 'reconcile')
  await team.mustRun(ana, 'list', '--refresh')
  expect(stderr).toContain('Then use journal forget to continue.')
  await team.mustRun(ana, 'journal', 'forget')
  await team.mustRun(ana, ...createWords('later', '--confirm'))
  await team.mustRun(ana, ...createWords('latest', '--confirm'))
})

test('an order that was created before the backup is not confirmed twice', async () => {
  await using team = await openTeam()
  await restoreOlder(team)
  expect(await spendAgain(team, team.ben)).toEqual({
    confirm: 3,
    create: 11,
    idempotent: 0,
    late: 0,
    batch: 0,
  })
  // The two orders that were created after the backup are bought again.
  expect(await listBought(team)).toEqual([...boughtBefore, 'gifts-0004', 'late'].toSorted())
  const confirms = listConfirms(team)
  expect(new Set(confirms).size).toBe(confirms.length)
  const lost = await findLost(team, { isSettled: true })
  expect(lost.map((text) => text.replace(/^\S+ of /, ''))).toEqual([
    expect.stringMatching(/^(late|gifts-0004), \w+, is not in the journal/),
    expect.stringMatching(/^(late|gifts-0004), \w+, is not in the journal/),
  ])
})

test('a machine refuses a journal that was created anew at the same address', async () => {
  await using team = await openTeam()
  const { ana, ben, admin, database } = team
  await team.mustRun(ana, ...createWords('first', '--confirm'))
  await endConnections(team)
  await query(admin, `DROP DATABASE ${database.name}`)
  await query(admin, `CREATE DATABASE ${database.name} OWNER ${database.nameOf('ana')}`)
  expect((await team.run(ana, createWords('first', '--confirm'))).end).toBe(9)
  await team.mustRun(ben, ...createWords('first', '--confirm'))
  expect(await listBought(team)).toEqual(['first', 'first'])
  expect((await team.run(ana, createWords('second', '--confirm'))).end).toBe(9)
})
