// Statements and transactions on a real PostgreSQL.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAddress } from '../../src/postgres/address.ts'
import { openPostgres } from '../../src/postgres/open.ts'
import { createDatabase, type TestDatabase } from '../support/postgres/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('it works', async () => {
  const t = performance.now()
  const pg = openPostgres({
    address: parseAddress(database.address(), { user: 'x' }),
    environment: { PGPASSWORD: database.password },
    home: undefined,
    platform: 'linux',
    warn: () => {},
    random: Math.random,
    sleep: async () => {},
  })
  expect(await pg.all('SELECT $a::bigint AS a, $b AS b, 1 AS c, true AS d', { a: 1, b: 'x\0y' })).toEqual([
    { a: 1n, b: 'x\ufffdy', c: 1n, d: 1n },
  ])
  console.log(performance.now() - t)
  await pg.run('CREATE TABLE t (a int primary key)')
  expect(
    await pg.transaction(async (s) => {
      const [x, y] = await Promise.all([
        s.run('INSERT INTO t VALUES ($a)', { a: 1 }),
        s.run('INSERT INTO t VALUES ($a)', { a: 2 }),
      ])
      return x + y
    }),
  ).toBe(2)
  expect(await pg.all('SELECT * FROM t')).toEqual([{ a: 1n }, { a: 2n }])
  await pg.close()
  console.log(performance.now() - t)
})
