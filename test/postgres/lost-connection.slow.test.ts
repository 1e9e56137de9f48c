// Connections that end at the wrong moment, cut by a proxy or by the server.

import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { isConnectionLost, UnknownCommit } from '../../src/postgres/failure.ts'
import { createDatabase, type TestDatabase } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { turnEventLoop } from '../support/wait-until.ts'
import { failureOf, openClient } from './open-client.ts'

const database = await createDatabase()
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  await database.admin(`DROP TABLE IF EXISTS item; CREATE TABLE item (id int PRIMARY KEY);
    GRANT ALL ON item TO ${database.nameOf('ana')}`)
})

const insert = 'INSERT INTO item VALUES ($id)'
const countItems = async (from: TestDatabase = database) =>
  (await from.admin('SELECT count(*)::int FROM item'))[0]?.count

describe('during COMMIT', () => {
  test.each([
    ['before the server receives it', false, false],
    ['after the server has committed', true, false],
    ['before the server receives it with a last statement', false, true],
    ['after the server has committed it with a last statement', true, true],
  ])('%s: the outcome is unknown, and nothing runs again', async (_, forwards, isLast) => {
    await using proxy = await openTcpProxy(database)
    const client = openClient(database, { place: proxy })
    void proxy.cutAt('COMMIT\0', { forwards })
    let runs = 0
    const failing = client.transaction(async ({ run, last }) => {
      runs += 1
      if (isLast) last(insert, { id: 1 })
      else await run(insert, { id: 1 })
    })
    await expect(failing).rejects.toThrow(UnknownCommit)
    const error = await failing.catch((reason) => reason)
    expect(isConnectionLost(error)).toBe(true)
    expect(error).toMatchObject({
      kind: 'local-state',
      message: expect.stringMatching(/^the connection to postgres:\/\/.* was lost during a commit$/),
    })
    expect(runs).toBe(1)
    expect(await countItems()).toBe(forwards ? 1 : 0)
  })
})

describe('before COMMIT', () => {
  test.each([
    ['at the first statement', 'BEGIN'],
    ['at a later one', 'DELETE'],
    ['at a last one that is followed by another', 'INSERT'],
  ])('%s: the transaction runs once more on a new connection', async (_, at) => {
    await using proxy = await openTcpProxy(database)
    const client = openClient(database, { place: proxy })
    void proxy.cutAt(at)
    let runs = 0
    await client.transaction(async ({ run, last }) => {
      runs += 1
      last(insert, { id: 1 })
      await run('SELECT 1')
      await run('DELETE FROM item WHERE id = 2').catch(() => {})
    })
    expect(runs).toBe(2)
    expect(await countItems()).toBe(1)
    expect(proxy.accepted()).toBe(2)
  })

  test('always: the transaction fails', async () => {
    await using proxy = await openTcpProxy(database)
    const client = openClient(database, { place: proxy, limits: { connections: 2 } })
    let runs = 0
    const failing = client.transaction(async ({ run, all }) => {
      runs += 1
      await run(insert, { id: 1 })
      proxy.cut()
      await all('SELECT 1')
    })
    expect(await failureOf(failing)).toMatch(/^local-state: the connection to postgres:.* was lost: /)
    expect(runs).toBe(3)
    expect(await countItems()).toBe(0)
  })
})

test('after a lost connection, others may have been lost, too', async () => {
  await using proxy = await openTcpProxy(database)
  const client = openClient(database, { place: proxy })
  const findProcess = () => client.transaction(({ all }) => all('SELECT pg_backend_pid() AS process'))
  const before = await Promise.all([findProcess(), findProcess(), findProcess()])
  proxy.cut()
  expect(before).not.toContainEqual(await findProcess())
})

test('a connection that the server ends while it is idle is replaced', async () => {
  const client = openClient(database)
  const [before] = await client.all('SELECT pg_backend_pid() AS pid')
  await database.admin('SELECT pg_terminate_backend($1, 5000)', [String(before?.pid)])
  await turnEventLoop()
  let runs = 0
  await client.transaction(({ run }) => {
    runs += 1
    return run(insert, { id: 1 })
  })
  expect(runs).toBe(1)
  const [after] = await client.all('SELECT pg_backend_pid() AS pid')
  expect(after?.pid).not.toBe(before?.pid)
})

test('a statement without a response ends at its limit, and is not sent again', async () => {
  await using proxy = await openTcpProxy(database)
  const client = openClient(database, { place: proxy, limits: { statementMs: 300 } })
  await client.all('SELECT 1')
  proxy.hold(true)
  const failing = client.all('SELECT 2 AS two')
  expect(await failureOf(failing)).toMatch(
    /^local-state: the connection to postgres:.* was lost: the statement took longer than 300 ms\n/,
  )
  expect(proxy.sent().split('SELECT 2 AS two')).toHaveLength(2)
})

test('a server that accepts a connection and says nothing is a failure', async () => {
  await using proxy = await openTcpProxy(database)
  proxy.hold(true)
  const client = openClient(database, { place: proxy, limits: { connectMs: 50 } })
  expect(await failureOf(client.transaction(({ all }) => all('SELECT 1')))).toMatch(
    /^local-state: cannot connect to postgres:.*: the connection took longer than 50 ms\n/,
  )
})
