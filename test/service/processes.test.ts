// One state file, several real processes, and the worst moments to be killed.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openService } from '../support/embedded.ts'
import { brokenInvariants } from '../support/invariants.ts'
import { looking, openScratch } from '../support/scratch.ts'
import { startProcess, startProcesses } from './service-process.ts'

const confirmedIds = (file: string): unknown[] =>
  looking(file, (database) =>
    database
      .prepare("SELECT id FROM orders JOIN ledger ON number = order_number WHERE kind = 'charge'")
      .all(),
  ).map(({ id }) => id)

type Service = Awaited<ReturnType<typeof openService>>

/** What two processes make of the same orders at once, each in its own words. */
const bothAsked = async (task: 'confirm' | 'get', made: (service: Service) => Promise<string>) => {
  using scratch = openScratch()
  const { file } = scratch
  const ids: string[] = []
  {
    await using service = await openService({ stateFile: file })
    // Long enough ago for what was confirmed to have ended.
    service.clock.advance(Date.now() - 60_000 - service.clock.now())
    for (let count = 0; count < 60; count += 1) ids.push(await made(service))
  }
  const processes = await startProcesses(2)
  const said = await Promise.all(processes.map((each) => each.perform({ task, file, ids })))
  expect(looking(file, brokenInvariants)).toEqual([])
  return { ids, said: said as string[][] }
}

test('of two processes that confirm the same orders, exactly one wins each', {
  timeout: 30_000,
}, async () => {
  const { ids, said } = await bothAsked('confirm', (service) => service.created(['GAME-US']))
  expect(said.flat().sort()).toEqual(ids.toSorted())
})

test('two processes that see the same orders end see the same codes', { timeout: 60_000 }, async () => {
  const { said } = await bothAsked('get', (service) => service.confirmed(['GAME-US', 'TEST-FAIL']))
  expect(said[0]).toEqual(said[1])
  expect(said[0]?.map((text) => JSON.parse(text).data.state)).toEqual(Array(60).fill('partial'))
})

test('eight processes that create one file at once agree on it', { timeout: 60_000 }, async () => {
  using scratch = openScratch()
  const processes = await startProcesses(8)
  const seeds = await Promise.all(processes.map((each) => each.perform({ task: 'open', file: scratch.file })))
  expect([seeds.length, new Set(seeds).size]).toEqual([8, 1])
  const wallets = looking(scratch.file, (database) =>
    database.prepare('SELECT count(*) AS count FROM wallets').get(),
  )
  expect(wallets).toEqual({ count: 5 })
})

/** Kills a process after each of these numbers of orders; what it was told of each must be there. */
const killAfter = async (counts: readonly number[]): Promise<void> => {
  using scratch = openScratch()
  const { file } = scratch
  const told = new Set<unknown>()
  let next = startProcess()
  for (const count of counts) {
    const current = await next
    next = startProcess()
    for (const id of await current.performUntil({ task: 'buy', file }, count)) told.add(id)
    // Opened first as anyone would open it, who was not there.
    await using _service = await openService({ stateFile: file, seed: undefined })
    expect(looking(file, brokenInvariants)).toEqual([])
    expect([...told.difference(new Set(confirmedIds(file)))]).toEqual([])
    const check = looking(file, (database) => database.prepare('PRAGMA integrity_check').get())
    expect(check).toEqual({ integrity_check: 'ok' })
  }
  await (await next).perform({ task: 'open', file })
}

test('a state file survives any number of kills', { timeout: 240_000 }, async () => {
  const random = () => 1 + Math.floor(Math.random() * 12)
  const counts = Array.from({ length: 2 }, () => Array.from({ length: 10 }, random))
  await Promise.all(counts.map(killAfter))
})

test('a process killed as it creates the file leaves one that opens', async () => {
  using scratch = openScratch()
  // As SQLite leaves it when the schema was not committed yet.
  const begun = new DatabaseSync(scratch.file)
  begun.exec('PRAGMA journal_mode = WAL')
  begun.close()
  await using service = await openService({ stateFile: scratch.file })
  expect((await service.create(['GAME-US'])).status).toBe(200)
})
