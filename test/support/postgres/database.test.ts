// A database that an earlier test has used is as good as a new one.
import { expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from './database.ts'

test('the next test finds nothing that this one granted, set or created', async () => {
  const inDatabase = async (use: (database: TestDatabase) => Promise<unknown>): Promise<string> => {
    await using database = await createDatabase({ roles: ['ben'] })
    await use(database)
    return database.name
  }
  const used = await inDatabase(async ({ admin, nameOf }) => {
    const [ana, ben] = ['ana', 'ben'].map(nameOf)
    await admin(`GRANT ${ana} TO ${ben}; ALTER ROLE ${ben} SET statement_timeout = 1`)
    await admin(`CREATE TABLE item (number int); GRANT ALL ON item TO ${ben}`)
  })
  const next = await inDatabase(async ({ admin, nameOf }) => {
    const ben = [nameOf('ben')]
    expect(await admin('SELECT 1 FROM pg_auth_members WHERE member = to_regrole($1)', ben)).toEqual([])
    expect(
      await admin('SELECT 1 FROM pg_roles WHERE rolname = $1 AND rolconfig <> $2', [...ben, []]),
    ).toEqual([])
    expect(await admin('SELECT 1 FROM pg_tables WHERE schemaname = $1', ['public'])).toEqual([])
  })
  // The server of someone else gets a new database for each test.
  if (process.env.ORDERCTL_TEST_POSTGRES === undefined) expect(next).toBe(used)
})
