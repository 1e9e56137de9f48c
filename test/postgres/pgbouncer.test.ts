// PgBouncer in transaction mode, with fewer connections to the server than orderctl has to PgBouncer.

import { describe, expect, test } from 'vitest'
import { UnknownCommit } from '../../src/postgres/failure.ts'
import { checkServer } from '../../src/postgres/open.ts'
import { isFullRun } from '../support/cases.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { startPgBouncer } from '../support/postgres/pgbouncer.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { openClient } from './open-client.ts'

const openBehindBouncer = async () => {
  const database = await createDatabase({ roles: ['ben'] })
  await database.admin(`CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL);
    INSERT INTO item VALUES (0, 0); GRANT ALL ON item TO PUBLIC`)
  const proxy = await openTcpProxy(database)
  const users = { [database.nameOf('ana')]: database.password, [database.nameOf('ben')]: database.password }
  const bouncer = await startPgBouncer({ target: proxy, users })
  return {
    ...{ database, proxy, bouncer },
    [Symbol.asyncDispose]: async () => {
      for (const each of [bouncer, proxy, database]) await each[Symbol.asyncDispose]()
    },
  }
}

describe.runIf(isFullRun)('behind PgBouncer', () => {
  test('many transactions at once share two connections', async () => {
    await using behind = await openBehindBouncer()
    const { database, bouncer, proxy } = behind
    const clients = [0, 1, 2, 3].map(() => openClient(database, { place: bouncer }))
    await checkServer(clients[0] as (typeof clients)[0], 'ADDRESS')
    const insert = 'INSERT INTO item VALUES ($id, 1)'
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        clients[index % clients.length]?.transaction(async ({ run, all }) => {
          await Promise.all([
            run(insert, { id: index + 1 }),
            run('UPDATE item SET n = n + 1 WHERE id = 0'),
            all('SELECT n FROM item WHERE id = $id FOR UPDATE', { id: 0 }),
          ])
          await run('UPDATE item SET n = n + 1 WHERE id = 0')
        }),
      ),
    )
    expect(await database.admin('SELECT count(*)::int, max(n) FROM item')).toEqual([{ count: 201, max: 400 }])
    expect(proxy.accepted()).toBeLessThanOrEqual(2)
    // A statement with a name would stay on the connection.
    expect(await clients[0]?.all('SELECT * FROM pg_prepared_statements')).toEqual([])
  })

  test('a connection that is cut behind it, during COMMIT, leaves the outcome unknown', async () => {
    await using behind = await openBehindBouncer()
    const { database, bouncer, proxy } = behind
    const client = openClient(database, { place: bouncer })
    await client.all('SELECT 1')
    void proxy.cutAt('COMMIT\0', { forwards: true })
    const failing = client.transaction(({ run }) => run('INSERT INTO item VALUES (1, 1)'))
    await expect(failing).rejects.toThrow(UnknownCommit)
    expect(await database.admin('SELECT 1 AS one FROM item WHERE id = 1')).toEqual([{ one: 1 }])
  })
})
