// Migrations of a SQLite file: it keeps its rows, is backed up first, and is unchanged if a step fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { openDatabase } from '../../src/sqlite/open.ts'
import type { Schema, Step } from '../../src/sqlite/schema.ts'
import { cannotMount, smallDisk } from '../support/disks.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'

const versionOne = `
  CREATE TABLE parents (number INTEGER PRIMARY KEY, name TEXT) STRICT;
  CREATE TABLE children (parent INTEGER NOT NULL REFERENCES parents) STRICT;
`
const addColumn = "ALTER TABLE parents ADD COLUMN note TEXT DEFAULT 'new'"
const rebuildParents: Step = (database) => {
  database.exec(`
    CREATE TABLE rebuilt (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, note TEXT) STRICT;
    INSERT INTO rebuilt SELECT number, name, note FROM parents;
    DROP TABLE parents;
    ALTER TABLE rebuilt RENAME TO parents;
  `)
}

const schemaOf = (...steps: Step[]): Schema => ({
  name: 'test file',
  elsewhere: 'Name another file',
  applicationId: 0x1234,
  steps,
})
const newest = schemaOf(versionOne, addColumn, rebuildParents)

/** A file of an earlier version with a parent and a child row. */
const makeFile = (file: string, version: 1 | 2): void => {
  const database = openDatabase(file, schemaOf(...newest.steps.slice(0, version)))
  database.exec("INSERT INTO parents (number, name) VALUES (7, 'seven'); INSERT INTO children VALUES (7)")
  database.close()
}

const versionIn = (file: string): unknown =>
  readDatabase(file, (database) => database.prepare('PRAGMA user_version').get()?.user_version)
const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !/-(wal|shm)$/.test(name))
    .toSorted()

const failureOf = (work: () => unknown): Failure => {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe('a file of an earlier version', () => {
  test.each([1, 2] as const)('is migrated from version %i and keeps its rows', (version) => {
    using scratch = openScratch()
    makeFile(scratch.file, version)
    using database = openDatabase(scratch.file, newest)
    expect(database.prepare('SELECT * FROM parents').all()).toEqual([
      { number: 7, name: 'seven', note: 'new' },
    ])
    expect(database.prepare('SELECT * FROM children').all()).toEqual([{ parent: 7 }])
    expect(versionIn(scratch.file)).toBe(3)
  })

  test('has its foreign keys enforced again after a table was rebuilt', () => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    using database = openDatabase(scratch.file, newest)
    expect(() => database.exec('INSERT INTO children VALUES (8)')).toThrow('FOREIGN KEY')
  })
})

describe('a step that fails', () => {
  const failing: [string, Step][] = [
    ['that is no SQL', 'NO SQL'],
    [
      'that throws',
      () => {
        throw new Error('no')
      },
    ],
    ['that breaks a foreign key', 'DELETE FROM parents'],
  ]
  test.each(failing)('%s leaves the file unchanged and no backup', (_name, step) => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    expect(() => openDatabase(scratch.file, schemaOf(versionOne, addColumn, step))).toThrow()
    expect(versionIn(scratch.file)).toBe(1)
    const columns = readDatabase(scratch.file, (database) =>
      database.prepare('PRAGMA table_info(parents)').all(),
    )
    expect(columns.map(({ name }) => name)).toEqual(['number', 'name'])
    expect(namesIn(scratch.folder)).toEqual(['state.db'])
  })

  test('a foreign key that was broken before does not stop a migration', () => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    const damaging = new DatabaseSync(scratch.file, { enableForeignKeyConstraints: false })
    damaging.exec('INSERT INTO children VALUES (99)')
    damaging.close()
    using database = openDatabase(scratch.file, newest)
    expect(database.prepare('SELECT parent FROM children').all()).toEqual([{ parent: 7 }, { parent: 99 }])
  })
})

describe('the backup', () => {
  const backup = (file: string): string => `${file}.v1.backup`

  test('is the complete earlier file, readable only by its owner', () => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    openDatabase(scratch.file, newest).close()
    expect(statSync(backup(scratch.file)).mode & 0o777).toBe(0o600)
    expect(versionIn(backup(scratch.file))).toBe(1)
    using restored = openDatabase(backup(scratch.file), schemaOf(versionOne))
    expect(restored.prepare('SELECT * FROM parents').all()).toEqual([{ number: 7, name: 'seven' }])
  })

  test('includes the rows in the log', () => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    using other = openDatabase(scratch.file, schemaOf(versionOne))
    other.exec("INSERT INTO parents (number, name) VALUES (8, 'eight')")
    openDatabase(scratch.file, newest).close()
    const names = readDatabase(backup(scratch.file), (database) =>
      database.prepare('SELECT name FROM parents').all(),
    )
    expect(names).toEqual([{ name: 'seven' }, { name: 'eight' }])
  })

  test('of a new file is not made', () => {
    using scratch = openScratch()
    openDatabase(scratch.file, newest).close()
    expect(namesIn(scratch.folder)).toEqual(['state.db'])
  })

  test('overwrites no other backup', () => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    writeFileSync(backup(scratch.file), 'of last year')
    openDatabase(scratch.file, newest).close()
    expect(readFileSync(backup(scratch.file), 'utf8')).toBe('of last year')
    expect(versionIn(`${backup(scratch.file)}-2`)).toBe(1)
  })

  test('is complete, even if an earlier one was interrupted', () => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    writeFileSync(`${scratch.file}.backup-unfinished`, 'SQLite format 3')
    openDatabase(scratch.file, newest).close()
    expect(namesIn(scratch.folder)).toEqual(['state.db', 'state.db.v1.backup'])
    expect(versionIn(backup(scratch.file))).toBe(1)
  })

  test('that cannot be made stops the migration', () => {
    using scratch = openScratch()
    makeFile(scratch.file, 1)
    mkdirSync(`${scratch.file}.backup-unfinished`)
    const { kind, message, details } = failureOf(() => openDatabase(scratch.file, newest))
    expect([kind, message, details.fix]).toEqual([
      'local-state',
      expect.stringContaining(`cannot back up the test file ${scratch.file} before updating it: `),
      `Nothing was changed. Free some space in ${scratch.folder}, or make it writable.`,
    ])
    expect(versionIn(scratch.file)).toBe(1)
  })

  test('without free space stops the migration', ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    using scratch = openScratch()
    const folder = path.join(scratch.folder, 'small')
    mkdirSync(folder)
    using _disk = smallDisk(folder, '256k')
    const file = path.join(folder, 'state.db')
    makeFile(file, 1)
    const database = openDatabase(file, schemaOf(versionOne))
    database.prepare('INSERT INTO parents (name) VALUES (?)').run('x'.repeat(80_000))
    database.close()
    writeFileSync(path.join(folder, 'filler'), Buffer.alloc(80_000))
    const { message } = failureOf(() => openDatabase(file, newest))
    expect(message).toContain('before updating it: ')
    expect([versionIn(file), namesIn(folder)]).toEqual([1, ['filler', 'state.db']])
  })
})

test('if several processes open a file, one migrates it and all can use it', async () => {
  using scratch = openScratch()
  makeFile(scratch.file, 1)
  using holder = new DatabaseSync(scratch.file)
  holder.exec('BEGIN IMMEDIATE')
  // Each process reports when it has read the old version and is about to wait for the lock.
  const script = `
    import { writeSync } from 'node:fs'
    import { DatabaseSync } from 'node:sqlite'
    import { openDatabase } from './src/sqlite/open.ts'
    const { exec } = DatabaseSync.prototype
    DatabaseSync.prototype.exec = function (sql) {
      if (sql === 'PRAGMA foreign_keys = OFF') writeSync(1, 'ready')
      return exec.call(this, sql)
    }
    const [, file, steps] = process.argv
    const schema = { name: 'test file', elsewhere: '', applicationId: 0x1234, steps: JSON.parse(steps) }
    openDatabase(file, schema).close()
  `
  const steps = JSON.stringify([versionOne, addColumn])
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--input-type=module', '--eval', script, scratch.file, steps], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const ends = children.map((child) => once(child, 'exit'))
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
  holder.exec('COMMIT')
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0])
  expect([versionIn(scratch.file), namesIn(scratch.folder)]).toEqual([2, ['state.db', 'state.db.v1.backup']])
  expect(versionIn(`${scratch.file}.v1.backup`)).toBe(1)
})
