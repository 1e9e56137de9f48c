// Many transactions as one: a group commits together, and a member that fails undoes only its own work.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createGroupRunner, createTransactionRunner } from '../../src/sqlite/transactions.ts'
import { openScratch } from '../support/scratch.ts'

const openGroups = (file = ':memory:') => {
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE IF NOT EXISTS numbers (number INTEGER PRIMARY KEY, start INTEGER)')
  const insert = database.prepare('INSERT INTO numbers VALUES (?, ?)')
  const transaction = createTransactionRunner(database)
  let starts = 0
  const run = createGroupRunner(transaction, () => {
    starts += 1
    return starts
  })
  return {
    database,
    add: (number: number) =>
      run((start) => {
        insert.run(number, start)
        return start
      }),
    list: () =>
      database
        .prepare('SELECT number FROM numbers ORDER BY number')
        .all()
        .map((row) => row.number),
    [Symbol.dispose]: () => database.close(),
  }
}

test('work of one turn of the event loop shares a transaction, and later work gets a new one', async () => {
  using groups = openGroups()
  expect(await Promise.all([groups.add(1), groups.add(2), groups.add(3)])).toEqual([1, 1, 1])
  expect(await groups.add(4)).toBe(2)
  expect(groups.list()).toEqual([1, 2, 3, 4])
})

test('work is committed when its promise resolves, and not before', async () => {
  using scratch = openScratch()
  using groups = openGroups(scratch.file)
  using other = openGroups(scratch.file)
  const seen: unknown[] = []
  const added = [1, 2].map((number) => groups.add(number).then(() => seen.push(other.list())))
  seen.push(other.list())
  await Promise.all(added)
  expect(seen).toEqual([[], [1, 2], [1, 2]])
})

test('work that fails is rolled back alone', async () => {
  using groups = openGroups()
  const results = await Promise.allSettled([1, 2, 2, 3].map(groups.add))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(groups.list()).toEqual([1, 2, 3])
})

test('no work runs if the transaction cannot begin', async () => {
  using scratch = openScratch()
  using groups = openGroups(scratch.file)
  using other = openGroups(scratch.file)
  other.database.exec('BEGIN IMMEDIATE')
  const results = await Promise.allSettled([groups.add(1), groups.add(2)])
  other.database.exec('COMMIT')
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(groups.list()).toEqual([])
  expect(await groups.add(3)).toBe(1)
})
