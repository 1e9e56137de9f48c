import { expect, test } from 'vitest'
import { checkServer } from '../../src/postgres/open.ts'
import { findJournalKind } from '../journal/journals.ts'
import { createDatabase, query } from '../support/postgres/database.ts'
import { startServer } from '../support/postgres/server.ts'
import { failureOf, openClient } from './open-client.ts'

const { openAt } = findJournalKind('PostgreSQL')

const refusal = async (database: Parameters<typeof openClient>[0]): Promise<string> =>
  failureOf(checkServer(openClient(database), 'ADDRESS'))

test('a server that does not wait for its disk is refused', async () => {
  await using server = await startServer()
  await using database = await createDatabase({ server: server.admin })
  await (await openAt(database.address())).close()
  await query(server.admin, 'ALTER SYSTEM SET fsync = off')
  await server.stop()
  await server.start()
  const advice = 'Set fsync = on in postgresql.conf, and reload the server.'
  expect(await refusal(database)).toBe(
    `local-state: ADDRESS has fsync = off, so a power failure can damage it\n${advice}`,
  )
  // An existing journal is not opened.
  expect(await failureOf(openAt(database.address()))).toContain(advice)
  await query(server.admin, 'ALTER SYSTEM SET fsync = on')
  await query(server.admin, 'ALTER SYSTEM SET full_page_writes = off')
  await server.stop()
  await server.start()
  expect(await refusal(database)).toContain('ADDRESS has full_page_writes = off')
})

test('a database that cannot store every character is refused', async () => {
  await using database = await createDatabase({ encoding: 'LATIN1' })
  const advice = "Create a database with ENCODING 'UTF8' TEMPLATE template0."
  expect(await refusal(database)).toBe(`local-state: ADDRESS has the encoding LATIN1\n${advice}`)
  expect(await failureOf(openAt(database.address()))).toContain(advice)
})
