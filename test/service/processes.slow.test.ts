// Several serve-mock processes share one state file, and some are killed.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openServed, seven } from '../abuse/served.ts'
import { isFullRun } from '../support/cases.ts'
import { openService } from '../support/embedded.ts'
import { brokenInvariants, readChargedIds } from '../support/invariants.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'

test('of two processes that confirm an order, one succeeds, and both give it the same codes', async () => {
  using scratch = openScratch()
  await using one = await openServed(scratch.folder)
  await using other = await openServed(scratch.folder)
  const ids = await Promise.all(Array.from({ length: 60 }, () => one.calls.created([seven])))
  const both = [one.calls, other.calls]
  const statuses = await Promise.all(
    ids.map(async (id) =>
      (await Promise.all(both.map((calls) => calls.confirm(id)))).map(({ status }) => status).toSorted(),
    ),
  )
  expect(statuses).toEqual(ids.map(() => [200, 404]))
  // Both may finish an order whose time has come.
  for (const id of ids) {
    const texts = await Promise.all(
      both.map(async (calls) => {
        while ((await calls.state(id)) !== 'successful');
        return (await calls.get(id)).text
      }),
    )
    expect(texts[0]).toBe(texts[1])
  }
  expect(readDatabase(one.state, brokenInvariants)).toEqual([])
})

test('processes that create one state file at once use the same seed', async () => {
  using scratch = openScratch()
  const count = isFullRun ? 8 : 3
  const opened = await Promise.all(Array.from({ length: count }, () => openServed(scratch.folder)))
  expect(new Set(opened.map(({ seed }) => seed)).size).toBe(1)
  const [{ state } = expect.fail()] = opened
  await Promise.all(opened.map(({ kill }) => kill('SIGTERM')))
  const sql = 'SELECT count(*) AS count FROM wallets'
  expect(readDatabase(state, (database) => database.prepare(sql).get())).toEqual({ count: 1 })
})

test('a killed process loses no order that it has confirmed', { timeout: 240_000 }, async () => {
  using scratch = openScratch()
  const confirmed = new Set<string>()
  for (let kills = isFullRun ? 20 : 3; kills > 0; kills -= 1) {
    await using served = await openServed(scratch.folder)
    const wanted = confirmed.size + 1 + Math.floor(Math.random() * 12)
    const buy = async (): Promise<void> => {
      for (;;) {
        confirmed.add(await served.calls.confirmed([seven], { webhookUrl: 'http://127.0.0.1:1/' }))
        if (confirmed.size >= wanted) void served.kill('SIGKILL')
      }
    }
    await Promise.allSettled([buy(), buy(), buy()])
    await served.kill('SIGKILL')
    // Opens the file before the checks, as the next user would.
    await (await openServed(scratch.folder)).kill('SIGTERM')
    expect(readDatabase(served.state, brokenInvariants)).toEqual([])
    expect([...confirmed.difference(new Set(readDatabase(served.state, readChargedIds)))]).toEqual([])
    const check = readDatabase(served.state, (database) => database.prepare('PRAGMA integrity_check').get())
    expect(check).toEqual({ integrity_check: 'ok' })
  }
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
