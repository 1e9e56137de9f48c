// Opening a SQLite file: the version of its tables, and how safely it writes to the disk.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { Failure } from '../../src/errors.ts'
import { schema as machineSchema } from '../../src/journal/machine/machine-file.ts'
import { createSharedSql } from '../../src/journal/shared-journal.ts'
import { schema as journalSchema, versions } from '../../src/journal/tables/list.ts'
import { schema as storeSchema } from '../../src/service/store.ts'
import { openDatabase, readUntouched, type Schema, toFailure } from '../../src/sqlite/open.ts'
import { schema as listenSchema } from '../../src/webhooks/deliveries.ts'
import { openScratch } from '../support/scratch.ts'

/** As in user_version: a positive integer of 31 bits. */
const computeFingerprint = (sql: string): number =>
  createHash('sha256').update(sql).digest().readUInt32BE() >>> 1

test('each version is the fingerprint of its tables', () => {
  const postgres = computeFingerprint(createSharedSql().join(';\n'))
  const found = [
    { sqlite: computeFingerprint(journalSchema.createSql()), postgres },
    computeFingerprint(storeSchema.createSql()),
    computeFingerprint(listenSchema.createSql()),
    computeFingerprint(machineSchema.createSql()),
  ]
  expect(found).toEqual([versions, storeSchema.version, listenSchema.version, machineSchema.version])
})

test('only a file that another process writes may be usable later, without a change', () => {
  using scratch = openScratch()
  using holder = new DatabaseSync(scratch.file)
  holder.exec('BEGIN EXCLUSIVE')
  using reader = new DatabaseSync(scratch.file, { timeout: 0 })
  const explain = (sql: string) => {
    try {
      reader.exec(sql)
      return 'no error'
    } catch (error) {
      return (toFailure(error, scratch.file, journalSchema) as Failure).details.retryable
    }
  }
  const locked = explain('CREATE TABLE orders (id)')
  holder.exec('COMMIT')
  expect([locked, explain('ATTACH "/missing/journal.db" AS other')]).toEqual([true, false])
})

const readPragmas = (schema: Schema) => {
  using scratch = openScratch()
  using database = openDatabase(scratch.file, schema)
  const read = (name: string): number => Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
  return { synchronous: read('synchronous'), fullfsync: read('fullfsync'), temp_store: read('temp_store') }
}

const full = 2
const memory = 2

test.each([journalSchema, machineSchema])(
  'the $name empties the cache of the disk with each transaction, also on macOS, and writes no temporary file',
  (schema) => {
    expect(readPragmas(schema)).toEqual({ synchronous: full, fullfsync: 1, temp_store: memory })
  },
)

test('a file that can be replaced does not', () => {
  const replaceable = {
    name: 'test file',
    elsewhere: 'Choose a different file',
    applicationId: 7,
    version: 1,
    createSql: () => '',
  }
  expect(readPragmas(replaceable)).toEqual({ synchronous: full, fullfsync: 0, temp_store: memory })
})

const plain: Schema = {
  ...{ name: 'test file', elsewhere: '', applicationId: 7, version: 1 },
  createSql: () => 'CREATE TABLE once (number INTEGER); INSERT INTO once VALUES (1)',
}

test('tables that another process creates meanwhile are not created again', () => {
  using scratch = openScratch()
  const overtaken: Schema = {
    ...plain,
    // Read after the file was found to be empty, and before the lock is taken.
    get loss(): string {
      openDatabase(scratch.file, plain).close()
      return ''
    },
  }
  using database = openDatabase(scratch.file, overtaken)
  expect(database.prepare('SELECT number FROM once').all()).toEqual([{ number: 1 }])
})

/** A thread begins to write to the new file, and ends 200 ms later, while `open` waits. */
const whileOneWrites = async <Result>(file: string, open: () => Result): Promise<Result> => {
  const state = new Int32Array(new SharedArrayBuffer(4))
  const writer = new Worker(
    `const { DatabaseSync } = require('node:sqlite')
    const { file, state } = require('node:worker_threads').workerData
    const database = new DatabaseSync(file)
    database.exec('BEGIN IMMEDIATE')
    Atomics.store(state, 0, 1)
    Atomics.notify(state, 0)
    Atomics.wait(state, 0, 1)
    Atomics.wait(state, 0, 2, 200)
    database.close()`,
    { eval: true, workerData: { file, state } },
  )
  expect(Atomics.wait(state, 0, 0, 30_000)).not.toBe('timed-out')
  Atomics.store(state, 0, 2)
  Atomics.notify(state, 0)
  const result = open()
  await once(writer, 'exit')
  return result
}

// SQLite itself does not wait here: the switch to WAL fails at once.
test('a new file to which another process writes is opened when that process is done', async () => {
  using scratch = openScratch()
  using database = await whileOneWrites(scratch.file, () => openDatabase(scratch.file, plain))
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
})

test('a file that another process has switched to WAL, and that has no tables yet, is opened', () => {
  using scratch = openScratch()
  using other = new DatabaseSync(scratch.file)
  other.exec('PRAGMA journal_mode = WAL')
  other.prepare('SELECT count(*) FROM sqlite_schema').get()
  using database = openDatabase(scratch.file, plain)
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
})

test('a file behind a link is read with the changes that are only in its log', () => {
  using scratch = openScratch()
  using database = openDatabase(scratch.file, plain)
  database.exec('INSERT INTO once VALUES (2)')
  const link = `${scratch.file}-link`
  symlinkSync(scratch.file, link)
  const count = readUntouched(link, plain, (read) => read.prepare('SELECT count(*) AS count FROM once').get())
  expect(count).toEqual({ count: 2 })
})
