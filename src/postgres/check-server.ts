// Checks that a PostgreSQL server can keep what is written to it.
import { Failure } from '../errors.ts'
import type { Statements } from './transactions.ts'

const oldestVersion = 13

const query = `
  SELECT current_setting('server_version_num')::int8 / 10000 AS version,
    current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS "fullPageWrites",
    current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS "isStandby"
`

/** `address` is for messages. Needs one query. */
export const checkServer = async ({ all }: Statements, address: string): Promise<void> => {
  const [row = {}] = await all(query)
  const refuse = (what: string, fix: string) => new Failure('local-state', `${address} ${what}`, { fix })
  if (Number(row.version) < oldestVersion) {
    throw refuse(`runs PostgreSQL ${row.version}`, `orderctl needs PostgreSQL ${oldestVersion} or later.`)
  }
  if (row.isStandby !== 0n) throw refuse('is a standby', 'Use the address of the primary server.')
  for (const [name, value] of Object.entries({ fsync: row.fsync, full_page_writes: row.fullPageWrites })) {
    if (value !== 'on') {
      throw refuse(
        `has ${name} = ${value}, so a power failure can damage it`,
        `Set ${name} = on in postgresql.conf, and reload the server.`,
      )
    }
  }
  if (row.encoding !== 'UTF8') {
    throw refuse(
      `has the encoding ${row.encoding}`,
      "Create a database with ENCODING 'UTF8' TEMPLATE template0.",
    )
  }
}
