// The journal in PostgreSQL.
import path from 'node:path'
import { Client } from 'pg'
import { openScratch } from '../support/scratch.ts'
import { journalIn, startDatabases } from './database-server.ts'
import { fillDatabase, openDatabase } from './filled-journal.ts'
import { columns, measureJournalCosts, sizes } from './journal-costs.ts'
import type { Size, Table } from './measure.ts'
import { accountAt, createHome, startService } from './processes.ts'

/** Those of the rows that a commit of the journal writes: an order and a call. */
const rowBytes = 470

export const measurePostgres = async (size: Size): Promise<Table> => {
  const { calls, rounds, orders } = sizes[size]
  using scratch = openScratch()
  await using databases = await startDatabases()
  await using service = await startService(path.join(scratch.folder, 'service'))
  const { origin } = service
  const open = async (count: number) => {
    const database = await databases.create()
    await fillDatabase(database, { origin, count })
    const env = createHome(path.join(scratch.folder, database.name), {
      ...accountAt(origin),
      ...journalIn(database),
    })
    return { env, journal: await openDatabase(database) }
  }
  const few = await open(orders.few)
  const many = await open(orders.many)

  const { host, port, name, nameOf, password } = await databases.create()
  const client = new Client({ host, port, database: name, user: nameOf('ana'), password, ssl: false })
  await client.connect()
  await client.query('SET synchronous_commit = on')
  await client.query('CREATE TABLE bare (number BIGSERIAL PRIMARY KEY, content TEXT)')
  const commit = async (): Promise<void> => {
    await client.query('BEGIN')
    await client.query('INSERT INTO bare (content) VALUES ($1)', ['x'.repeat(rowBytes)])
    await client.query('COMMIT')
  }
  const write = async (): Promise<void> => {
    await commit()
    await commit()
  }
  const rows = await measureJournalCosts({
    size,
    few,
    many,
    origin,
    bare: { name: 'two bare commits', write },
  })
  const { rows: versions } = await client.query('SHOW server_version')
  await Promise.all([client.end(), few.journal.close(), many.journal.close()])
  return {
    title: 'Journal in PostgreSQL',
    columns,
    rows,
    note: `Medians of ${calls} calls, and of ${rounds} runs of each command. PostgreSQL ${versions[0].server_version} runs on the same machine. A bare commit is \`BEGIN\`, an \`INSERT\` of ${rowBytes} bytes and \`COMMIT\` with the same client library.`,
  }
}
