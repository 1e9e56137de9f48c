// The versions of a file of ours: made, taken forward, refused.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openDatabase, type Schema } from '../src/sqlite.ts'
import { openScratch } from './support/scratch.ts'

const steps = [
  'CREATE TABLE a (b INTEGER)',
  "ALTER TABLE a ADD COLUMN c TEXT DEFAULT 'new'",
  'CREATE INDEX by_c ON a (c)',
]
const schema = (count: number): Schema => ({
  name: 'test file',
  elsewhere: 'Name another',
  applicationId: 0x1234,
  steps: steps.slice(0, count),
})

test.each([[1], [2]])('a file of version %i is taken forward, and keeps what it holds', (count) => {
  using scratch = openScratch()
  const old = openDatabase(scratch.file, schema(count))
  old.exec('INSERT INTO a (b) VALUES (7)')
  old.close()
  const database = openDatabase(scratch.file, schema(3))
  expect(database.prepare('SELECT b, c FROM a').all()).toEqual([{ b: 7, c: 'new' }])
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 })
  database.close()
  openDatabase(scratch.file, schema(3)).close()
})

test('a step that fails leaves the file as it was', () => {
  using scratch = openScratch()
  openDatabase(scratch.file, schema(1)).close()
  const broken = { ...schema(2), steps: [...steps.slice(0, 2), 'NO SQL'] }
  expect(() => openDatabase(scratch.file, broken)).toThrow()
  const database = new DatabaseSync(scratch.file)
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
  expect(database.prepare('PRAGMA table_info(a)').all()).toHaveLength(1)
  database.close()
})
