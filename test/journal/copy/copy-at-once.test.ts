// A copy into a journal in which other processes buy the same batch meanwhile. Only PostgreSQL allows that.
import { expect, onTestFinished, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { createCalls } from '../../../src/journal/orders/calls.ts'
import { openScratch } from '../../support/scratch.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { confirmIntent } from '../order-desk.ts'
import { openTwoProcesses } from '../two-processes.ts'

/** A batch that was copied. Since then, the file has bought the slot 1. */
const open = async () => {
  const scratch = openScratch()
  const source = await openJournal(scratch.file)
  const { journal, during } = await openTwoProcesses()
  onTestFinished(async () => {
    await source.close()
    scratch[Symbol.dispose]()
  })
  const there = createBatchDesk(source)
  const { batch } = await there.save()
  await there.batches.recordStart(batch, { maxTotal: '99', at: 200 })
  await copyJournal(scratch.file, journal)
  await there.place(1, 'o1', { reference: 'there' })
  await source.calls.endConfirm(await there.confirm('o1'), { outcome: 'done' }, 2_100)
  return { here: createBatchDesk(journal), during, copy: (into = journal) => copyJournal(scratch.file, into) }
}

test('a confirm that a second process records meanwhile is reported as a clash', async () => {
  const { here, during, copy } = await open()
  await here.place(1, 't1', { reference: 'here' })
  const { result, hasWaited } = await during(
    ({ write }) => createCalls(write).beginConfirm(confirmIntent('t1', { reference: 'here' })),
    () => copy(),
  )
  expect(hasWaited).toBe(true)
  expect(result).toMatchObject({ orders: 1, clashes: [{ batch: 'gifts', orders: ['o1', 't1'] }] })
})

test('a confirm that another process begins meanwhile waits, and is refused', async () => {
  const { here, during, copy } = await open()
  const { result, hasWaited } = await during(copy, async () => {
    await here.place(1, 't1', { reference: 'here' })
    return here.beginConfirm('t1')
  })
  expect(hasWaited).toBe(true)
  expect(result).toMatchObject({ kind: 'slot-taken', by: { orderId: 'o1' } })
})
