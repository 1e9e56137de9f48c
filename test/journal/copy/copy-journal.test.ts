// What a copy inserts and refuses. test/commands/journal/copy.slow.session interrupts copies.
import { expect, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import {
  claimHandover,
  endHandover,
  type Handover,
  readHandovers,
} from '../../../src/journal/copy/handover.ts'
import type { Row } from '../../../src/journal/database/database.ts'
import { findJournalKind } from '../journals.ts'
import { openFor } from '../open.ts'
import { createOrderDesk, update } from '../order-desk.ts'
import { openFile, pairOf, takeRight, testCopies } from './copy-script.ts'

testCopies(`

  == the sandbox is never copied, and stays usable
  there place sbx_1 origin=sandbox:; there save origin=sandbox: address=sandbox:; there place o1
  there reveal sbx_1 origin=sandbox:; copy → orders 1; orders → r; read SELECT address FROM accounts → orders.example
  there place sbx_2 other origin=sandbox:

  == a call in flight, and a confirm that may have spent, keep the right with the file
  there create; take there at=2000 → local-state; there created o1; there confirm o1; take there at=2000 → local-state
  there end unknown; take there → unproven; there get o1 successful; copy → orders 1

  == an account that the file uses later is copied later, and the first one stays
  there place o1; there reveal o1; copy → orders 1, reveals 1; there place o2 s origin=https://other.example
  there reveal o2 origin=https://other.example; copy → orders 1, reveals 1; orders → s, r

  == orders with the same reference clash, unless one of them is void
  place t1 café; place t2 only-here; there place o1 cafe\u0301 name=eu; there place o2 only-there
  copy → reference-used cafe\u0301: o1 (created) in the file, and t1 (created) in the shared journal
  orders → only-here, café; there expire o1; copy → orders 2

  == a different account or a void order clashes with nothing
  there create void-there; there end refused; place t1 void-there; create void-here; end refused
  there place o1 void-here; there place o2 other-account origin=https://other.example; place t2 other-account
  there place o3 twice; there place o4 twice again; copy → orders 5

  == a second colleague copies an order that the first one placed, and only confirmed it by its id
  there place o1; there place o2 s; copy → orders 2; middle confirm o1; middle end done; middle place o3 t
  copy middle → reference-used r: o1 (confirmed) in the file, and o1 (created) in the shared journal
  confirm o1; end done; copy middle → orders 1, inBoth 1; create → taken by o1; orders → t, s, r

  == an order that was confirmed here by its id stays as it is
  there place o1; confirm o1; end unknown
  copy → reference-used r: o1 (created) in the file, and o1 (unknown) in the shared journal
  get o1 successful; copy → inBoth 1; standing o1 → confirmed

  == an order that may repeat its reference is still one order
  there place o1 r again; there confirm o1; there end done; confirm o1; end unknown
  copy → reference-used r: o1 (confirmed) in the file, and o1 (unknown) in the shared journal

  == an order that is void here, but paid in the file, clashes with the order that was bought instead
  there place o1; there confirm o1; there end done; place o1; expire o1; place o2; confirm o2; end done
  copy → reference-used r: o1 (confirmed) in the file, and o2 (confirmed) in the shared journal

  == an order that is void in the file stays as it is here
  there place o1; there expire o1; place o1; copy → inBoth 1; standing o1 → pending

  == two orders stay two if the service gave the id twice, and clash
  there place o1; create other; created o1 createdAt=900
  copy → reference-used r: o1 (created) in the file, and o1 (created) in the shared journal; expire o1; copy → orders 1

  == an order of a batch that was confirmed here by its id clashes
  there save; there start cap=99; there place o1 r slot=1; confirm o1; end done
  copy → reference-used r: o1 (created) in the file, and o1 (confirmed) in the shared journal

  == a batch is renamed if its name is taken, and its orders do not clash with those of the other batch
  save id=bat_1; save Gifts-2 id=bat_2; there save id=bat_3; there start cap=99; there place o1 slot=1
  copy → batches 1, renamed gifts gifts-3, orders 1; find bat_3 → gifts-3 3
  bought 1 batch=3 → gifts-1-1 pending; create second slot=1 batch=3 → slot-taken by o1

  == a cancelled batch and a later one keep the name that they share
  there save id=bat_1; there start cap=99; there create slot=1; there end refused 400
  there replace id=bat_2 at=300 → cancels the old one; copy → batches 2, orders 1
  find gifts → gifts 2; find bat_2 → gifts 2

  == a file that buys again after it was copied keeps its right, and is not copied again
  there place o1; copy → orders 1; forget; copy → copiedBefore true; forget; there place o2 s
  copy → local-state; there place o3 t
  there sql UPDATE handovers SET forgotten = NULL, call = 'other'; copy → local-state; return → false; forget; there place o4 u
`)

test('an order and its calls have the same values in both journals', async () => {
  const file = await openFile()
  const target = await openFor(findJournalKind('PostgreSQL'))
  const source = createOrderDesk(file.journal)
  await source.placed()
  await source.endConfirm(
    await source.toConfirm('o1', { total: '30', wallet: 'EUR', accepted: '[]' }),
    {
      outcome: 'done',
    },
    2_100,
  )
  await source.recordOrder(
    1,
    update('partial', { total: '24', products: '[["A","fixed","25",2,1,null]]', at: 4_000 }),
  )
  await takeRight(file, target)
  await copyJournal(pairOf(file, target))
  const read = async (rows: Promise<Row[]>) =>
    (await rows).map(({ number, account, actor, order_number, written_by, ...row }) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [name, String(value)]),
      ),
    )
  for (const sql of ['SELECT * FROM orders', 'SELECT * FROM calls ORDER BY number'])
    expect(await read(target.query(sql))).toEqual(await read(file.query(sql)))
})

test('only the newest attempt to copy claims the handover, or gives the right back', async () => {
  const { journal: source, ...file } = await openFile()
  const target = await openFor(findJournalKind('PostgreSQL'))
  await createOrderDesk(source).placed()
  await takeRight({ ...file, journal: source }, target)
  const [first] = await readHandovers(source.read)
  expect(await claimHandover(source, first as Handover)).toBe(true)
  const newest = await readHandovers(source.read)
  expect(await claimHandover(source, first as Handover)).toBe(false)
  await endHandover(source, first as Handover)
  expect(await readHandovers(source.read)).toEqual(newest)
  await endHandover(source, newest[0] as Handover)
  expect(await readHandovers(source.read)).toEqual([])
})

test('of two processes that copy the same file at once, one copies it', async () => {
  const file = await openFile()
  const target = await openFor(findJournalKind('PostgreSQL'))
  await createOrderDesk(file.journal).placed('o1')
  await takeRight(file, target)
  const other = { ...target, journal: await target.openOther() }
  const all = await Promise.all([target, other].map((each) => copyJournal(pairOf(file, each))))
  expect(all.map(({ orders }) => orders).toSorted()).toEqual([0, 1])
})
