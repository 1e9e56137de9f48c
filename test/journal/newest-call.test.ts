// The note of the newest call: what is kept, and what is ignored.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type NewestCall, openNewestCallNote } from '../../src/journal/shared/newest-call.ts'
import { openSharedJournal } from '../../src/journal/shared/shared-journal.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { openScratch } from '../support/scratch.ts'
import { optionsOf } from './journals.ts'
import { confirmIntent, createOrderDesk, intent } from './order-desk.ts'

const createCall = (call: number, journal = 'one'): NewestCall => ({ journal, call, startedAt: 1_000 + call })

test('the newest call is kept in a file that only its owner can read', () => {
  using scratch = openScratch()
  const file = path.join(scratch.folder, 'seen', 'note.json')
  const note = openNewestCallNote(file)
  expect(note.seen).toBeUndefined()
  note.note(createCall(7))
  note.note(createCall(5))
  note.save()
  expect(openNewestCallNote(file).seen).toEqual(createCall(7))
  expect(readdirSync(path.dirname(file))).toEqual(['note.json'])
  note.note(createCall(8))
  note.save()
  expect(openNewestCallNote(file).seen).toEqual(createCall(8))
})

test('a call of another journal replaces the note', () => {
  using scratch = openScratch()
  const note = openNewestCallNote(scratch.file)
  note.note(createCall(7))
  note.note(createCall(3, 'other'))
  note.save()
  expect(openNewestCallNote(scratch.file).seen).toEqual(createCall(3, 'other'))
})

test.for([
  '',
  '{',
  'null',
  '{"journal":"one","call":"7","startedAt":1}',
  '{"journal":7,"call":7,"startedAt":1}',
])('a damaged note is ignored and replaced: %j', (text) => {
  using scratch = openScratch()
  writeFileSync(scratch.file, text)
  const note = openNewestCallNote(scratch.file)
  expect(note.seen).toBeUndefined()
  note.note(createCall(1))
  note.save()
  expect(JSON.parse(readFileSync(scratch.file, 'utf8'))).toEqual(createCall(1))
})

test('a note that cannot be written does no harm', () => {
  using scratch = openScratch()
  writeFileSync(path.join(scratch.folder, 'seen'), 'a file, not a folder')
  const note = openNewestCallNote(path.join(scratch.folder, 'seen', 'note.json'))
  note.note(createCall(1))
  expect(note.save()).toBeUndefined()
  expect(readFileSync(path.join(scratch.folder, 'seen'), 'utf8')).toBe('a file, not a folder')
})

test('a process that uses the journal while it is set back begins no call, and neither does the next one', async () => {
  using scratch = openScratch()
  const database = await createDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const open = () => openSharedJournal({ ...optionsOf(database.address()), noteFile: scratch.file })
  const running = await open()
  await createOrderDesk(running).placed('o1')
  // As a standby that takes over without the newest transactions.
  await database.admin(
    `DELETE FROM states; DELETE FROM calls; DELETE FROM orders;
     SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  const refused = 'does not have the newest call that this machine has seen'
  await expect(running.beginCreate(intent())).rejects.toThrow(refused)
  await expect(running.beginConfirm(confirmIntent('o1'))).rejects.toThrow(refused)
  expect(await running.listOrders({ limit: 9 })).toEqual([])
  await running.close()
  const next = await open()
  await expect(next.beginCreate(intent({ reference: 'other' }))).rejects.toThrow(refused)
  await next.close()
})
