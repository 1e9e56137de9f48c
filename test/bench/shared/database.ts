// A PostgreSQL server of its own for a benchmark, on a disk, with the defaults of PostgreSQL.
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SharedOptions } from '../../../src/journal/shared/shared-journal.ts'
import { parseAddress } from '../../../src/postgres/parse-address.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres/database.ts'
import { superuser } from '../../support/postgres/installation.ts'
import { startServer } from '../../support/postgres/server.ts'
import { folder } from '../servers.ts'

/** The tests change these to save time. */
const settings = [
  'shared_buffers = 128MB',
  'wal_level = replica',
  'checkpoint_timeout = 5min',
  'scram_iterations = 4096',
  'jit = on',
]

type Place = { readonly host: string; readonly port: number }

/** `more`: lines for postgresql.conf. */
export const startDatabases = async (more: readonly string[] = []) => {
  const server = await startServer({ settings: [...settings, ...more], place: tmpdir() })
  const { name: user, password } = superuser
  const admin = { host: '127.0.0.1', port: server.port, user, password, database: 'postgres' }
  return {
    create: (): Promise<TestDatabase> => createDatabase({ server: admin }),
    log: server.log,
    pid: server.pid,
    stop: (): Promise<void> => server[Symbol.asyncDispose](),
  }
}

/** The variables of a process whose journal is this database. */
export const environmentOf = (database: TestDatabase, place?: Place): NodeJS.ProcessEnv => ({
  ORDERCTL_JOURNAL: database.address('ana', place),
  PGPASSWORD: database.password,
})

/** Opens the journal as a command does. */
export const journalOptions = (database: TestDatabase, place?: Place): SharedOptions => ({
  address: parseAddress(database.address('ana', place), { user: 'ana' }),
  environment: { PGPASSWORD: database.password },
  home: undefined,
  platform: process.platform,
  warn: (text) => console.error(text),
  random: Math.random,
  sleep: (ms) => sleep(ms),
  spool: {
    folder: path.join(folder, 'spool'),
    onSaved: (name) => {
      throw new Error(`the outcome of ${name} was not recorded`)
    },
    onProblem: ({ file, reason }) => console.error(`${file} ${reason}`),
  },
  noteFile: path.join(folder, 'seen', `${database.name}.json`),
  identify: () => ({ osUser: 'ana', host: 'desk' }),
})
