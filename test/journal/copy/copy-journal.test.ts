import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import type { Row } from '../../../src/journal/database/database.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { openScratch } from '../../support/scratch.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { journalKinds } from '../journals.ts'
import { openFor } from '../open.ts'
import { accountAt, createOrderDesk, owner, update } from '../order-desk.ts'
import { openFile, testCopies } from './copy-script.ts'
import { failAfter } from './fail-after.ts'

const openSource = async () => {
  const { journal, address, query } = await openFile()
  return { ...createOrderDesk(journal), journal, address, readAll: query }
}

const listReferences = async (journal: Journal, limit = 100) =>
  (await listOrders(journal.read, { limit })).map(({ reference }) => reference).toSorted()

testCopies(`
  == the copy counts the rows that are new, and the orders that change
  there place o1; there place o2 s; there reveal o1; there save
  copy → batches 1, orders 2, calls 2, reveals 1; copy; there confirm o1; there end done
  copy → calls 1, updated 1; state o1 → confirmed; state o2 → created; there get o1 successful; copy

  == the limits are copied that the target does not have
  there limit day 500; there limit week 900; there limit day 1 origin=sandbox:; limit week 800
  copy → copied day USD 500, kept week USD 800; limits → day 500 USD, week 800 USD; copy → kept week USD 800
  read SELECT os_user FROM limits JOIN actors ON actors.number = actor ORDER BY amount → ana, tester

  == the sandbox is never copied
  there place sbx_1 origin=sandbox:; there save origin=sandbox: address=sandbox:
  there reveal sbx_1 origin=sandbox:; copy; orders; read SELECT address FROM accounts

  == both orders of a reference are copied, and the reference is reported
  place t1 café; place t2 only-here; place t3 Case
  there place o1 cafe\u0301 name=eu; there place o2 only-there; there place o3 case
  copy → orders 3, calls 3, conflicts cafe\u0301; copy → conflicts cafe\u0301

  == the reference of an order that came through a third journal is reported each time
  place t1 here; there place o1 here; middle place o2 elsewhere; copy there middle → orders 1, calls 1
  copy middle here → orders 2, calls 2, conflicts here; copy middle here → conflicts here

  == no reference of void orders, of a different account, or of two orders of the source is reported
  there create void-there; there end refused; place t1 void-there; create void-here; end refused
  there place o1 void-here; there place o2 other-account origin=https://other.example; place t2 other-account
  there place o3 twice; there place o4 twice again; copy → orders 5, calls 5

  == a batch is renamed if its name is taken
  save id=bat_1; save Gifts-2 id=bat_2; there save id=bat_3; there start cap=99; there place o1 slot=1
  copy → batches 1, renamed gifts gifts-3, orders 1, calls 1; copy; find bat_3 → gifts-3 3
  bought 1 batch=3 → gifts-1-1 pending; create second slot=1 batch=3 → slot-taken by o1

  == a cancelled batch and a later one keep the name that they share
  there save id=bat_1; there start cap=99; there create slot=1; there end refused 400
  there replace id=bat_2 at=300 → cancels the old one; copy → batches 2, orders 1, calls 1
  find gifts → gifts 2; find bat_2 → gifts 2

  == an order is copied through a third journal once, and back to where it came from
  there place o1; middle place o2 between; copy there middle → orders 1, calls 1; there place o3 later
  copy → orders 2, calls 2; copy middle here → orders 1, calls 1; orders → between, later, r
  copy middle there → orders 1, calls 1; there orders → between, later, r
`)

describe.each(journalKinds)('into $name', (kind) => {
  const open = async () => {
    const source = await openSource()
    const { journal, query } = await openFor(kind)
    const desk = createOrderDesk(journal)
    return { source, journal, desk, query, copy: () => copyJournal(source.address, journal) }
  }

  test('copies nothing twice if two processes copy the same file at once', async () => {
    const source = await openSource()
    const { journal, openOther } = await openFor(kind)
    const other = await openOther()
    for (let round = 0; round < 12; round += 1) {
      for (let count = 0; count < 6; count += 1) {
        const name = `${round}-${count}`
        await source.placed(`o${name}`, { reference: `r${name}` })
        const reveal = { orderId: `o${name}`, skus: ['A'], at: count, who: 'ana', how: 'copy' } as const
        await source.recordReveals([{ profile: owner.profile, origin: owner.origin, ...reveal }])
      }
      await createBatchDesk(source.journal).save({
        id: `bat_${round}`,
        demand: `${round}`,
        name: `gifts ${round}`,
      })
      const results = await Promise.all([journal, other].map((target) => copyJournal(source.address, target)))
      expect(results.reduce((sum, { orders, batches, reveals }) => sum + orders + batches + reveals, 0)).toBe(
        13,
      )
    }
    expect(await listReferences(journal, 200)).toHaveLength(72)
  })

  test('counts a confirm against budgets from when it was sent, with the total that it accepted', async () => {
    const { source, query, copy } = await open()
    await source.placed()
    await copy()
    const accepted = { total: '30', wallet: 'EUR', accepted: '[]' }
    await source.endConfirm(await source.toConfirm('o1', accepted), { outcome: 'done' }, 2_100)
    await copy()
    const reserved = 'SELECT reserved_at, total, wallet FROM orders'
    const [ours] = await query(reserved)
    expect([ours]).toEqual((await source.readAll(reserved)).map((row) => ({ ...row })))
    expect(ours).toMatchObject({ total: '30', wallet: 'EUR' })
  })

  test('copies every column of an order and its calls, with the numbers of this journal', async () => {
    const { source, desk, query, copy } = await open()
    await desk.placed('t1', { reference: 'here', ...accountAt('https://other.example') })
    await source.placed('o1', { request: '{"productList":[]}' })
    await source.confirmed('o1', { outcome: 'refused', status: 500, refusal: 'busy' })
    await source.note('o1', 'partial', 3_000)
    await source.recordOrder(
      1,
      update('partial', { total: '24', products: '[["A","fixed","25",2,1,null]]', at: 4_000 }),
    )
    await copy()
    const read = async (rows: Promise<Row[]>) =>
      (await rows).map(({ number, account, actor, order_number, written_by, ...row }) =>
        Object.fromEntries(
          Object.entries(row)
            .filter(([, value]) => value !== null)
            .map(([name, value]) => [name, String(value)]),
        ),
      )
    for (const sql of [
      "SELECT * FROM orders WHERE order_id = 'o1'",
      'SELECT * FROM calls ORDER BY number DESC LIMIT 2',
    ])
      expect(await read(query(sql))).toEqual(await read(source.readAll(sql)))
    const owners = await query(
      'SELECT address, os_user FROM orders JOIN accounts ON accounts.number = account JOIN actors ON actors.number = actor ORDER BY orders.number',
    )
    expect(owners).toEqual([
      { address: 'other.example', os_user: 'tester' },
      { address: 'orders.example', os_user: 'ana' },
    ])
  })

  test('a copy that was interrupted continues', async () => {
    const { source, journal, copy } = await open()
    await Promise.all(Array.from({ length: 510 }, (_, index) => source.begin({ reference: `r${index}` })))
    for (const [transactions, orders] of [
      [1, 0],
      [2, 500],
    ] as const) {
      await expect(copyJournal(source.address, failAfter(journal, transactions))).rejects.toThrow(
        'interrupted',
      )
      expect(await listReferences(journal, 600)).toHaveLength(orders)
    }
    expect(await copy()).toMatchObject({ orders: 10, calls: 10 })
    expect(await copy()).toMatchObject({ orders: 0, calls: 0 })
  })

  test('a copy of the file that was used since is a separate source', async () => {
    const { source, journal, copy } = await open()
    await source.placed('o1')
    const other = openScratch()
    onTestFinished(() => other[Symbol.dispose]())
    using database = new DatabaseSync(source.address)
    database.exec(`VACUUM INTO '${other.file}'`)
    const twin = await openJournal(other.file)
    onTestFinished(twin.close)
    await source.placed('o2', { reference: 'one', at: 5_000 })
    await createOrderDesk(twin).placed('o3', { reference: 'other', at: 6_000 })
    await copy()
    expect(await copyJournal(other.file, journal)).toMatchObject({ orders: 1 })
    expect(await listReferences(journal)).toEqual(['one', 'other', 'r'])
  })

  test('refuses a file of a different version, a file of a different program, and a missing file', async () => {
    const { journal } = await open()
    const scratch = openScratch()
    onTestFinished(() => scratch[Symbol.dispose]())
    await (await openJournal(scratch.file)).close()
    using database = new DatabaseSync(scratch.file)
    database.exec('PRAGMA user_version = 2')
    await expect(copyJournal(scratch.file, journal)).rejects.toMatchObject({
      kind: 'local-state',
      message: expect.stringContaining('was written by a different version of orderctl'),
    })
    await expect(copyJournal('package.json', journal)).rejects.toMatchObject({ kind: 'usage' })
    await expect(copyJournal('/nowhere/journal.db', journal)).rejects.toMatchObject({ kind: 'usage' })
    expect(await listReferences(journal)).toEqual([])
  })
})
