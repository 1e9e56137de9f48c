// Several real processes share one state file, and some are killed.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { openService } from '../support/embedded.ts'
import { brokenInvariants, readChargedIds } from '../support/invariants.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'
import { startProcess, startProcesses } from './service-process.ts'

type Service = Awaited<ReturnType<typeof openService>>

/** Lets two processes perform the same task on 60 orders at once. */
const performTwice = async (task: 'confirm' | 'get', createOrder: (service: Service) => Promise<string>) => {
  using scratch = openScratch()
  const { file } = scratch
  const ids: string[] = []
  {
    await using service = await openService({ stateFile: file })
    // The orders are due already when the processes read them.
    service.clock.advance(Date.now() - 60_000 - service.clock.now())
    for (let count = 0; count < 60; count += 1) ids.push(await createOrder(service))
  }
  const processes = await startProcesses(2)
  const results = await Promise.all(processes.map((process) => process.perform({ task, file, ids })))
  expect(readDatabase(file, brokenInvariants)).toEqual([])
  return { ids, results: results as string[][] }
}

test('if two processes confirm an order, exactly one succeeds', async () => {
  const { ids, results } = await performTwice('confirm', (service) => service.created(['GAME-US']))
  expect(results.flat().sort()).toEqual(ids.toSorted())
})

test('two processes that finish the same orders give the same codes', async () => {
  const { results } = await performTwice('get', (service) => service.confirmed(['GAME-US', 'TEST-FAIL']))
  expect(results[0]).toEqual(results[1])
  expect(results[0]?.map((text) => JSON.parse(text).data.state)).toEqual(Array(60).fill('partial'))
})

const openers = isFullRun ? 8 : 3

test('processes that create one state file at once use the same seed', async () => {
  using scratch = openScratch()
  const processes = await startProcesses(openers)
  const seeds = await Promise.all(
    processes.map((process) => process.perform({ task: 'open', file: scratch.file })),
  )
  expect([seeds.length, new Set(seeds).size]).toEqual([openers, 1])
  const wallets = readDatabase(scratch.file, (database) =>
    database.prepare('SELECT count(*) AS count FROM wallets').get(),
  )
  expect(wallets).toEqual({ count: 5 })
})

/** Kills a process after each of these numbers of orders, and checks that no confirmed order is lost. */
const killAfter = async (counts: readonly number[]): Promise<void> => {
  using scratch = openScratch()
  const { file } = scratch
  const reported = new Set<unknown>()
  let next = startProcess()
  for (const count of counts) {
    const current = await next
    next = startProcess()
    for (const id of await current.performUntil({ task: 'buy', file }, count)) reported.add(id)
    // Opens the file before the checks, as the next user would.
    await using _service = await openService({ stateFile: file, seed: undefined })
    expect(readDatabase(file, brokenInvariants)).toEqual([])
    expect([...reported.difference(new Set(readDatabase(file, readChargedIds)))]).toEqual([])
    const check = readDatabase(file, (database) => database.prepare('PRAGMA integrity_check').get())
    expect(check).toEqual({ integrity_check: 'ok' })
  }
  await (await next).perform({ task: 'open', file })
}

test('a state file survives repeated kills', { timeout: 240_000 }, async () => {
  const drawCount = () => 1 + Math.floor(Math.random() * 12)
  const [chains, kills] = isFullRun ? [2, 10] : [1, 3]
  const counts = Array.from({ length: chains }, () => Array.from({ length: kills }, drawCount))
  await Promise.all(counts.map(killAfter))
})

test('a state file opens although the process that created it was killed', async () => {
  using scratch = openScratch()
  // The file that SQLite leaves if the schema was not committed.
  const empty = new DatabaseSync(scratch.file)
  empty.exec('PRAGMA journal_mode = WAL')
  empty.close()
  await using service = await openService({ stateFile: scratch.file })
  expect((await service.create(['GAME-US'])).status).toBe(200)
})
