// Opening a SQLite file: how safely it writes to the disk.
import { expect, test } from 'vitest'
import { schema as journalSchema } from '../../src/journal/schema.ts'
import { openDatabase } from '../../src/sqlite/open.ts'
import type { Schema } from '../../src/sqlite/schema.ts'
import { openScratch } from '../support/scratch.ts'

const readPragmas = (schema: Schema) => {
  using scratch = openScratch()
  using database = openDatabase(scratch.file, schema)
  const read = (name: string): number => Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
  return { synchronous: read('synchronous'), fullfsync: read('fullfsync') }
}

const full = 2

test('the journal empties the cache of the disk with each transaction, also on macOS', () => {
  expect(readPragmas(journalSchema)).toEqual({ synchronous: full, fullfsync: 1 })
})

test('a file that can be replaced does not', () => {
  const replaceable = { name: 'test file', elsewhere: 'Name another file', applicationId: 7, steps: [''] }
  expect(readPragmas(replaceable)).toEqual({ synchronous: full, fullfsync: 0 })
})
