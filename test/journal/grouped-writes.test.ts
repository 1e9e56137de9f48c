// Concurrent transactions on a SQLite file, of which several are committed together.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/file-journal.ts'
import { openScratch } from '../support/scratch.ts'
import { createOrderDesk } from './order-desk.ts'

const walHeaderSize = 32
const frameHeaderSize = 24

/** Counts the commits in the write-ahead log (https://www.sqlite.org/fileformat2.html#walformat). */
const countCommits = (file: string): number => {
  const log = readFileSync(`${file}-wal`)
  const pageSize = log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  let commits = 0
  for (let at = walHeaderSize; at < log.length; at += frameHeaderSize + pageSize) {
    // A frame with a different salt is left over from before a checkpoint.
    const isPresent = log.subarray(at + 8, at + 16).equals(salt)
    const pagesAfterCommit = log.readUInt32BE(at + 4)
    if (isPresent && pagesAfterCommit > 0) commits += 1
  }
  return commits
}

test('concurrent transactions share a commit; create and confirm sync the disk twice each, for intent and outcome', async () => {
  using scratch = openScratch()
  const journal = await openJournal(scratch.file)
  const { begin, placed, confirmed } = createOrderDesk(journal)
  await begin({ reference: 'the first, which adds the account' })
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    const before = countCommits(scratch.file)
    await work()
    return countCommits(scratch.file) - before
  }
  const references = Array.from({ length: 40 }, (_, index) => `r${index}`)
  const many = await count(() => Promise.all(references.map((reference) => begin({ reference }))))
  const create = await count(() => placed('o1'))
  const confirm = await count(() => confirmed('o1', { outcome: 'done' }))
  await journal.close()
  expect(many).toBeLessThan(references.length / 4)
  expect({ create, confirm }).toEqual({ create: 2, confirm: 2 })
})

test('work that goes on after its transaction has failed writes nothing', async () => {
  const journal = await openJournal(':memory:')
  const late: Promise<unknown>[] = []
  const addLate = () =>
    journal.write(async (access) => {
      const wait = async (): Promise<unknown> => {
        for (let turn = 0; turn < 100; turn += 1) await undefined
        return access.run("INSERT INTO accounts (address) VALUES ('late')")
      }
      late.push(wait())
      throw new Error('another part failed')
    })
  const added = [addLate(), addLate()]
  expect((await Promise.allSettled(added)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const accounts = await journal.read.all('SELECT address FROM accounts')
  expect(accounts).toEqual([])
  await journal.close()
})

test('a last statement that fails undoes its transaction', async () => {
  const journal = await openJournal(':memory:')
  const write = (address: string) =>
    journal.write(async ({ last }) => {
      last("INSERT INTO accounts (address) VALUES ('https://first')")
      return last('INSERT INTO accounts (address) VALUES ($address) RETURNING address', { address })
    })
  await expect(write('https://first')).rejects.toThrow('UNIQUE')
  expect(await journal.read.all('SELECT address FROM accounts')).toEqual([])
  expect((await write('https://other'))()).toEqual([{ address: 'https://other' }])
  await journal.close()
})
