// Statements and transactions on a real PostgreSQL.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { recordRoundTrips } from '../journal/round-trip-proxy.ts'
import { isAllRun } from '../support/cases.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { openClient } from './open-client.ts'

const database = await createDatabase()
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  await database.admin('DROP TABLE IF EXISTS item; CREATE TABLE item (id int PRIMARY KEY, name text)')
  await database.admin(`ALTER TABLE item OWNER TO ${database.nameOf('ana')}`)
})

const insert = 'INSERT INTO item (id, name) VALUES ($id, $name)'
const listIds = async () => (await database.admin('SELECT id FROM item ORDER BY id')).map(({ id }) => id)

test('values come back as SQLite returns them', async () => {
  const client = openClient(database)
  const columns = [
    ...['1 AS small', '9007199254740993 AS large', 'count(*) AS counted', 'sum(n) AS summed'],
    ...['avg(n)::float8 AS average', 'true AS yes', 'false AS no', 'NULL AS nothing'],
    ...[`'{"a":1}'::json AS json`, `'2026-01-02'::date AS day`, '0.10 AS price'],
  ]
  expect(await client.all(`SELECT ${columns.join(', ')} FROM (VALUES (1::int8), (2)) AS number (n)`)).toEqual(
    [
      {
        ...{ small: 1n, large: 9007199254740993n, counted: 2n, summed: 3n, average: 1.5, yes: 1n, no: 0n },
        ...{ nothing: null, json: '{"a":1}', day: '2026-01-02', price: '0.10' },
      },
    ],
  )
})

test('parameters keep their values', async () => {
  const client = openClient(database)
  const values = { text: `'; -- \\ $1 \u{1f600}`, large: 2n ** 62n, exponent: 1e18, half: 0.5, nothing: null }
  const sql = `SELECT $text AS text, $large::int8 AS large, $exponent::int8 AS exponent, $half::float8 AS half,
    $nothing::text AS nothing, $text AS again`
  const { exponent: _, ...kept } = values
  expect(await client.all(sql, values)).toEqual([{ ...kept, exponent: 10n ** 18n, again: values.text }])
})

test('a transaction commits all its statements, or none', async () => {
  const client = openClient(database)
  expect(
    await client.transaction(async ({ run, all }) => {
      await run(insert, { id: 1, name: 'a' })
      await run(insert, { id: 2, name: 'b' })
      return await all('SELECT count(*) AS count FROM item')
    }),
  ).toEqual([{ count: 2n }])
  const error = new Error('of the work')
  const failing = client.transaction(async ({ run }) => {
    await run(insert, { id: 3, name: 'c' })
    throw error
  })
  await expect(failing).rejects.toBe(error)
  expect(await listIds()).toEqual([1, 2])
})

test('statements of a transaction can be sent together, and each has its own result', async () => {
  const client = openClient(database)
  const results = await client.transaction(({ all, run }) =>
    Promise.all([
      all('SELECT 1 AS one'),
      run(`${insert}, (2, 'b')`, { id: 1, name: 'a' }),
      all('SELECT id FROM item'),
    ]),
  )
  expect(results).toEqual([[{ one: 1n }], 2, [{ id: 1n }, { id: 2n }]])
  const failing = client.transaction(({ run }) =>
    Promise.all([6, 1, 7].map((id) => run(insert, { id, name: 'a' }))),
  )
  await expect(failing).rejects.toMatchObject({ code: '23505' })
  expect(await listIds()).toEqual([1, 2])
})

test('no statement runs outside of its transaction if BEGIN fails', async () => {
  await using proxy = await openTcpProxy(database)
  proxy.replace('BEGIN ISOLATION', 'BEGIN ISOLATIOM')
  const client = openClient(database, { place: proxy })
  const failing = client.transaction(async ({ run }) => {
    await Promise.allSettled([1, 2].map((id) => run(insert, { id, name: 'a' })))
    proxy.replace('', '')
    await run(insert, { id: 3, name: 'a' }).catch(() => {})
  })
  await expect(failing).rejects.toMatchObject({ code: '42601' })
  expect(await listIds()).toEqual([])
})

test('a transaction whose work ignores an error is not committed', async () => {
  const client = openClient(database)
  const failing = client.transaction(async ({ run }) => {
    await run(insert, { id: 1, name: 'a' })
    await run('INSERT INTO nowhere VALUES (1)').catch(() => {})
    await run(insert, { id: 2, name: 'a' })
  })
  await expect(failing).rejects.toMatchObject({ code: '42P01' })
  expect(await listIds()).toEqual([])
})

describe('a last statement', () => {
  test('travels with COMMIT, and gives its rows afterwards', async () => {
    await using proxy = await recordRoundTrips(database)
    const client = openClient(database, { place: proxy })
    const read = await client.transaction(async ({ all, last }) => {
      await all('SELECT 1')
      last(insert, { id: 1, name: 'a' })
      return last(`${insert} RETURNING name`, { id: 2, name: 'b' })
    })
    expect(read()).toEqual([{ name: 'b' }])
    expect(await listIds()).toEqual([1, 2])
    const [{ trips } = { trips: [] }] = proxy.take()
    expect(trips.map((statements) => statements.length)).toEqual([3, 3])
  })

  test('is not committed if it fails, nor are the others', async () => {
    const client = openClient(database)
    let runs = 0
    const failing = client.transaction(async ({ last }) => {
      runs += 1
      for (const id of [1, 2, 1]) last(insert, { id, name: 'a' })
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(runs).toBe(3)
    expect(await listIds()).toEqual([])
    await client.transaction(async ({ last }) => void last(insert, { id: 3, name: 'a' }))
    expect(await listIds()).toEqual([3])
  })
})

test('a transaction that the server rolled back at COMMIT is an error', async () => {
  await using proxy = await openTcpProxy(database)
  proxy.replace('COMMIT\0', 'ABORT \0')
  const client = openClient(database, { place: proxy })
  const failing = client.transaction(({ run }) => run(insert, { id: 1, name: 'a' }))
  await expect(failing).rejects.toThrow('PostgreSQL ran ROLLBACK instead of COMMIT')
})

describe('settings', () => {
  const show = `SELECT current_setting('synchronous_commit') AS commit, current_setting('lock_timeout') AS lock,
    current_setting('statement_timeout') AS statement, current_setting('transaction_isolation') AS isolation`
  const expected = [{ commit: 'on', lock: '3s', statement: '7s', isolation: 'read committed' }]

  test('each transaction waits for the disk, whatever the role has set', async () => {
    const role = database.nameOf('ana')
    await database.admin(`ALTER ROLE ${role} SET synchronous_commit = off`)
    await database.admin(`ALTER ROLE ${role} SET default_transaction_isolation = 'repeatable read'`)
    const client = openClient(database, { limits: { lockMs: 3_000, statementMs: 7_000 } })
    expect(await client.transaction(({ all }) => all(show))).toEqual(expected)
    const [alone] = await client.all(show)
    expect(alone).toMatchObject({ commit: 'on', lock: '3s', statement: '7s' })
    await database.admin(`ALTER ROLE ${role} RESET ALL`)
  })

  test('no setting stays on the connection', async () => {
    const client = openClient(database, { limits: { connections: 1 } })
    await client.all('SELECT 1')
    // Each statement outside of a transaction makes the settings again, so the transaction ends itself first.
    const left = await client.transaction(async ({ run, all }) => {
      await run('COMMIT')
      return all("SELECT name, setting FROM pg_settings WHERE source = 'session'")
    })
    expect(left).toEqual([])
  })
})

test('reads of one turn are one transaction, and one that fails does not fail the others', async () => {
  const client = openClient(database)
  const sql = 'SELECT CAST(pg_current_xact_id() AS TEXT) AS id'
  const [one, other] = await Promise.all([client.all(sql), client.all(sql)])
  expect(one).toEqual(other)
  const all = await Promise.allSettled([sql, 'SELECT 1 / 0', sql].map((each) => client.all(each)))
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

describe('the pool', () => {
  const countConnections = async () => {
    const sql = 'SELECT count(*)::int FROM pg_stat_activity WHERE usename = $1'
    return (await database.admin(sql, [database.nameOf('ana')]))[0]?.count
  }

  test('opens no more connections than its limit, and serves everyone', async () => {
    const client = openClient(database, { limits: { connections: 2 } })
    const ids = Array.from({ length: 20 }, (_, id) => id)
    const counts = await Promise.all(
      ids.map((id) =>
        client.transaction(async ({ run, all }) => {
          await run(insert, { id, name: 'a' })
          const sql = 'SELECT count(*) AS count FROM pg_stat_activity WHERE usename = current_user'
          return Number((await all(sql))[0]?.count)
        }),
      ),
    )
    expect(await listIds()).toEqual(ids)
    expect(Math.max(...counts)).toBe(2)
  })

  test('closes at once, in the middle of a statement', async () => {
    const client = openClient(database, { limits: { connections: 1 } })
    const failed = [expect(client.all('SELECT pg_sleep(60)')).rejects.toThrow('the database is closed')]
    while ((await countConnections()) !== 1);
    const waiting = client.transaction(({ all }) => all('SELECT 1'))
    failed.push(expect(waiting).rejects.toThrow('the database is closed'))
    await client.close()
    await Promise.all(failed)
    await expect(client.all('SELECT 1')).rejects.toThrow('the database is closed')
  })

  test.runIf(isAllRun).each([
    ['does not keep a process alive', ''],
    [
      'does not connect for users who waited until it was closed',
      `const works = [1, 2].map(() => client.transaction(({ all }) => all('SELECT pg_sleep(60)')))
      await client.close()
      await Promise.allSettled(works)`,
    ],
  ])('%s', async (_, end) => {
    const source = path.resolve('src/postgres')
    const script = `
      import { openPostgres } from '${source}/open.ts'
      import { parseAddress } from '${source}/address.ts'
      const client = openPostgres({
        address: parseAddress('${database.address()}', { user: 'x' }), environment: process.env,
        random: Math.random, sleep: async () => {}, limits: { connections: 1 },
      })
      console.log(Number((await client.all('SELECT 1 AS one'))[0].one))
      ${end}`
    const env = { ...process.env, PGPASSWORD: database.password }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env,
    })
    expect(stdout).toBe('1\n')
  })
})
