// The journal in a SQLite file: its mode, and files that are refused.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/open-journal.ts'
import { openScratch } from '../support/scratch.ts'
import { callsOf, intent } from './order-desk.ts'

const loss = 'If you move it away, orderctl forgets its orders and cannot prevent a second purchase.'
const restore = `It was left untouched. If you have a backup, restore it. ${loss}`

test('the file is readable only by its owner', async () => {
  using scratch = openScratch()
  const journal = await openJournal(scratch.file)
  for (const name of ['', '-wal', '-shm']) expect(statSync(scratch.file + name).mode & 0o777).toBe(0o600)
  await journal.close()
})

test('a damaged file is refused when the damage is found, and left untouched', async () => {
  using scratch = openScratch()
  const journal = await openJournal(scratch.file)
  await callsOf(journal).beginCreate(intent())
  await journal.close()
  const database = new DatabaseSync(scratch.file)
  const found = database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'orders'`).get()
  database.close()
  const start = (Number(found?.rootpage) - 1) * 4096
  const bytes = readFileSync(scratch.file)
  bytes.fill(0xff, start, start + 4096)
  writeFileSync(scratch.file, bytes)
  const again = await openJournal(scratch.file)
  await expect(callsOf(again).beginCreate(intent({ reference: 'x' }))).rejects.toMatchObject({
    kind: 'local-state',
    message: `${scratch.file} is damaged`,
    details: { advice: restore },
  })
  await again.close()
  expect(readFileSync(scratch.file).subarray(start)).toEqual(bytes.subarray(start))
})
