// A create whose process was killed, in a journal that notes no calls, such as the sandbox's.
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from '../../../src/journal/file-journal.ts'
import { listCalls } from '../../../src/journal/orders/entries.ts'
import { openScratch } from '../../support/scratch.ts'
import { createOrderDesk } from '../order-desk.ts'

test('ends at once, and one in progress does not', async () => {
  using scratch = openScratch()
  const { folder, file } = scratch
  const [first, second] = [await openJournal(file), await openJournal(file)]
  const begun = await createOrderDesk(first).begin({ reference: 'r1' })
  const [call] = await listCalls(second.read, begun.order)
  if (call === undefined) throw new Error('there is no call')
  expect(await second.endAbandoned(call, 2_000)).toBe(false)
  const marks = path.join(folder, 'creates')
  const [mark = ''] = readdirSync(marks)
  // The system releases the lock of a process that ends.
  renameSync(path.join(marks, mark), path.join(folder, 'held'))
  writeFileSync(path.join(marks, mark), '')
  expect(await second.endAbandoned(call, 2_000)).toBe(true)
  expect(readdirSync(marks)).toEqual([])
  await Promise.all([first.close(), second.close()])
})
