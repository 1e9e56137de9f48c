// The databases that the tests of the journal run on.

import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Access, Identity } from '../../src/journal/access.ts'
import type { Row, Values } from '../../src/journal/database/database.ts'
import { openJournal } from '../../src/journal/file-journal.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { openSharedJournal } from '../../src/journal/shared-journal.ts'
import { parseAddress } from '../../src/postgres/address.ts'
import { openPostgres, type PostgresOptions } from '../../src/postgres/open.ts'
import { isAllRun } from '../support/cases.ts'
import { createDatabase, rolePassword } from '../support/postgres/database.ts'
import { openScratch } from '../support/scratch.ts'

/** A journal that other connections can open by its address. */
export type SharedJournal = {
  readonly journal: Journal
  readonly address: string
  /** Runs one statement on another connection. Integers are bigints. */
  readonly query: (sql: string, values?: Values) => Promise<Row[]>
  /** Sets a value that the constraint of the column would refuse. */
  readonly damage: (table: string, column: string, value: string, where?: string) => Promise<void>
  /** Closes the journal and deletes it. */
  readonly close: () => Promise<void>
}

export type JournalKind = {
  readonly name: string
  /** Opens an empty journal. */
  readonly openShared: () => Promise<SharedJournal>
  /** Opens an existing journal. */
  readonly openAt: (address: string, identify?: () => Identity) => Promise<Journal>
}

export const testIdentity: Identity = { osUser: 'tester', host: 'desk' }
const identifyTester = (): Identity => testIdentity

const openFile = async (): Promise<SharedJournal> => {
  const scratch = openScratch()
  const { file } = scratch
  const journal = await openJournal(file, { identify: identifyTester })
  return {
    journal,
    address: file,
    query: async (sql, values = {}) => {
      using database = new DatabaseSync(file, { timeout: 5_000, readBigInts: true })
      return database.prepare(sql).all(values)
    },
    damage: async (table, column, value, where = 'TRUE') => {
      using database = new DatabaseSync(file, { timeout: 5_000 })
      database.exec('PRAGMA ignore_check_constraints = ON')
      database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(value)
    },
    close: async () => {
      await journal.close()
      scratch[Symbol.dispose]()
    },
  }
}

/** Connects as the role that owns the database. */
export const optionsOf = (address: string): PostgresOptions => ({
  address: parseAddress(address, { user: 'nobody' }),
  environment: { PGPASSWORD: rolePassword },
  random: Math.random,
  sleep: (ms) => delay(ms),
  warn: () => {},
})

const openDatabaseAt = (address: string, identify = identifyTester): Promise<Journal> =>
  openSharedJournal({ ...optionsOf(address), identify })

const openDatabase = async (): Promise<SharedJournal> => {
  const database = await createDatabase()
  const address = database.address()
  const journal = await openDatabaseAt(address)
  const looking = openPostgres(optionsOf(address))
  return {
    journal,
    address,
    query: looking.all,
    damage: async (table, column, value, where = 'TRUE') => {
      await looking.all(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_${column}_check`)
      await looking.all(`UPDATE ${table} SET ${column} = $value WHERE ${where}`, { value })
    },
    close: async () => {
      await looking.close()
      await journal.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** For the promises about money, which `npm test` also proves on PostgreSQL. */
export const everyJournalKind: readonly JournalKind[] = [
  {
    ...{ name: 'SQLite', openShared: openFile },
    openAt: (file, identify = identifyTester) => openJournal(file, { identify }),
  },
  { name: 'PostgreSQL', openShared: openDatabase, openAt: openDatabaseAt },
]

export const journalKinds = isAllRun ? everyJournalKind : everyJournalKind.slice(0, 1)

export const findJournalKind = (wanted: string): JournalKind => {
  const kind = everyJournalKind.find(({ name }) => name === wanted)
  if (kind === undefined) throw new Error(`there is no journal on ${wanted}`)
  return kind
}

type Subject = Journal & Access
type Bound<Each> = {
  readonly [Name in keyof Each as Each[Name] extends (subject: Subject, ...given: never[]) => unknown
    ? Name
    : never]: Each[Name] extends (subject: Subject, ...given: infer Given) => infer Result
    ? (...given: Given) => Result
    : never
}

/** The functions, such as those of a module, with the journal or its access as their first argument. */
export const bindTo = <Each extends object>(journal: Journal, functions: Each): Bound<Each> => {
  const subject = { ...journal, ...journal.read }
  const all = Object.entries(functions).filter(([, work]) => typeof work === 'function')
  return Object.fromEntries(
    all.map(([name, work]) => [name, (...given: unknown[]) => work(subject, ...given)]),
  ) as Bound<Each>
}
