// The note of the newest call: what is kept, and what is ignored.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type NewestCall, openNewestCallNote } from '../../src/journal/shared/newest-call.ts'
import { openScratch } from '../support/scratch.ts'

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
