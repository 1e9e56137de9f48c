// Transactions that run again after a conflict with a different one.
import { Client } from 'pg'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../support/postgres/database.ts'
import { failureOf, openClient } from './open-client.ts'

const database = await createDatabase()
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  await database.admin(`DROP TABLE IF EXISTS item; CREATE TABLE item (id int PRIMARY KEY, n int);
    INSERT INTO item VALUES (1, 0), (2, 0); GRANT ALL ON item TO ${database.nameOf('ana')}`)
})

const add = 'UPDATE item SET n = n + 1 WHERE id = $id'

/** A different client, in a transaction. */
const openOther = async (): Promise<Client> => {
  const { host, port, name, password } = database
  const other = new Client({ host, port, database: name, user: database.nameOf('ana'), password })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('BEGIN')
  return other
}

test('two transactions that wait for each other both succeed', async () => {
  const areBothThere = Promise.withResolvers<void>()
  let [runs, locked] = [0, 0]
  // The waiting transaction gets its row before the other runs again.
  const isOneDone = Promise.withResolvers<void>()
  const client = openClient(database, { sleep: () => isOneDone.promise })
  const change = async (first: number, second: number) => {
    await client.transaction(async ({ run }) => {
      runs += 1
      await run(add, { id: first })
      locked += 1
      if (locked === 2) areBothThere.resolve()
      await areBothThere.promise
      await run(add, { id: second })
    })
    isOneDone.resolve()
  }
  await Promise.all([change(1, 2), change(2, 1)])
  expect(runs).toBe(3)
  expect(await database.admin('SELECT n FROM item')).toEqual([{ n: 2 }, { n: 2 }])
})

test('after a unique violation, the next run sees the row of the other transaction', async () => {
  const client = openClient(database)
  const other = await openOther()
  await other.query('INSERT INTO item VALUES (3, 7)')
  const waits: number[] = []
  const found = openClient(database, { sleep: async (ms) => void waits.push(ms) }).transaction(
    async ({ all, run }) => {
      const [row] = await all('SELECT n FROM item WHERE id = 3')
      if (row === undefined) await run('INSERT INTO item VALUES (3, 0)')
      return row
    },
  )
  const isWaiting =
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
  while ((await client.all(isWaiting)).length === 0);
  await other.query('COMMIT')
  expect(await found).toEqual({ n: 7n })
  expect(waits).toEqual([20])
})

test('a row that stays locked is a failure, after three runs', async () => {
  const other = await openOther()
  await other.query('UPDATE item SET n = 5 WHERE id = 1')
  const client = openClient(database, { limits: { lockMs: 1 } })
  let runs = 0
  const failing = client.transaction(async ({ run }) => {
    runs += 1
    await run(add, { id: 1 })
  })
  expect(await failureOf(failing)).toMatch(
    /^local-state: postgres:.* is busy or shuts down: canceling statement due to lock timeout\n/,
  )
  expect(runs).toBe(3)
})

test('a transaction that pauses too long blocks the others no longer, and runs again', async () => {
  const client = openClient(database, { limits: { idleMs: 100 } })
  const other = openClient(database, { limits: { lockMs: 8_000 } })
  let runs = 0
  await client.transaction(async ({ run, all }) => {
    runs += 1
    await run(add, { id: 1 })
    if (runs === 1) await other.transaction((only) => only.run('UPDATE item SET n = n + 10 WHERE id = 1'))
    await all('SELECT n FROM item')
  })
  expect(runs).toBe(2)
  expect(await database.admin('SELECT n FROM item WHERE id = 1')).toEqual([{ n: 11 }])
  const show = "SELECT current_setting('idle_in_transaction_session_timeout') AS idle"
  expect(await other.transaction(({ all }) => all(show))).toEqual([{ idle: '10s' }])
})
