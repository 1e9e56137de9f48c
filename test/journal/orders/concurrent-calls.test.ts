// Many calls of one journal at once, and a create whose process was killed in a journal that notes no calls.

import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openJournal } from '../../../src/journal/file-journal.ts'
import { listCalls } from '../../../src/journal/orders/entries.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { openScratch } from '../../support/scratch.ts'
import { everyJournalKind } from '../journals.ts'
import { openFor } from '../open.ts'
import { callsOf, confirmIntent, createOrderDesk, done, intent } from '../order-desk.ts'
import { testTwoProcesses } from '../two-processes.ts'

const references = Array.from({ length: 40 }, (_, index) => `r${index}`)

describe.each(everyJournalKind)('on $name', (kind) => {
  const open = async () => {
    const { journal, query } = await openFor(kind)
    return { journal, query }
  }

  test.each<
    [string, (calls: ReturnType<typeof callsOf>, index: number) => Promise<{ readonly kind: string }>, string]
  >([
    ['creates of one reference', (calls) => calls.beginCreate(intent()), 'taken'],
    [
      'confirms of orders that have one reference and were created elsewhere',
      (calls, index) => calls.beginConfirm(confirmIntent(`o${index}`)),
      'taken',
    ],
    [
      'confirms of one order that was created elsewhere',
      (calls) => calls.beginConfirm(confirmIntent('o1', { allowDuplicate: true })),
      'open',
    ],
  ])('of %s, the first is started', async (_title, begin, refusal) => {
    const { journal } = await open()
    const begun = await Promise.all(references.map((_, index) => begin(callsOf(journal), index)))
    const refusals = begun.map(({ kind }) => kind).filter((kind) => kind !== 'started')
    expect(refusals).toEqual(references.slice(1).map(() => refusal))
    expect(await listOrders(journal.read, { limit: 100 })).toHaveLength(1)
  })

  test('each resolves when another connection sees its rows', async () => {
    const { journal, query } = await open()
    const { begin, endCreate } = createOrderDesk(journal)
    const readRows = (reference: string) =>
      query(
        `SELECT standing, order_id, outcome FROM orders JOIN calls ON order_number = orders.number
       WHERE reference = $reference`,
        { reference },
      )
    await Promise.all(
      references.map(async (reference) => {
        const begun = await begin({ reference })
        const intended = await readRows(reference)
        expect(intended).toMatchObject([{ standing: 'creating', order_id: null, outcome: 'sending' }])
        await endCreate(begun, done(`id of ${reference}`), 1_100)
        const ended = await readRows(reference)
        expect(ended).toMatchObject([
          { standing: 'pending', order_id: `id of ${reference}`, outcome: 'done' },
        ])
      }),
    )
  })
})

// The first order of a journal also inserts its account, which other calls would wait for.
testTwoProcesses(`
  == a call waits while another process records a call of its reference, and is refused
  place own own; while create a: create a → waits, taken by a; while create b again: create b → waits, taken by b
  while confirm o1 c: create c → waits, taken by o1; while confirm o2 d: confirm o3 d → waits, taken by o2
  while confirm o4 e again: confirm o5 e → waits, taken by o4
  while confirm o6 own again: confirm own → waits, taken by o6

  == while another process begins to confirm an order, another confirm of it waits, and finds the call
  place o1; while confirm o1: confirm o1 → waits, open since 2000

  == while another process begins to confirm an order, the proof that it was not confirmed waits, and does not hold
  place o1; while confirm o1: expire o1 → waits; create → taken by o1

  == while a create ends late in another process, a create of its reference waits, and is refused
  create; while created o1 at=200000: create at=200000 → waits, taken by o1; standing o1 → pending
`)

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
