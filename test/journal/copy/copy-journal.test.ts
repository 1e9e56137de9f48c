import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getAccountId, sandboxAddress } from '../../../src/contract/account-id.ts'
import { findByBatch } from '../../../src/journal/batches/batch-names.ts'
import { findBatches, recordStart } from '../../../src/journal/batches/batches.ts'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import type { Row } from '../../../src/journal/database/database.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { listLimits, setLimit } from '../../../src/journal/limits/limits.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { openScratch } from '../../support/scratch.ts'
import { createBatchDesk, holdMs } from '../batches/batch-desk.ts'
import { bindTo, journalKinds } from '../journals.ts'
import { accountAt, createOrderDesk, intent, type OrderDesk, owner, update } from '../order-desk.ts'
import { failAfter } from './fail-after.ts'

const openFile = async () => {
  const scratch = openScratch()
  const journal = await openJournal(scratch.file, { identify: () => ({ osUser: 'ana', host: 'laptop' }) })
  onTestFinished(async () => {
    await journal.close()
    scratch[Symbol.dispose]()
  })
  return { file: scratch.file, journal, ...createOrderDesk(journal) }
}

const listReferences = async (journal: Journal, limit = 100) =>
  (await listOrders(journal.read, { limit })).map(({ reference }) => reference).toSorted()

const nothing = {
  ...{
    orders: 0,
    calls: 0,
    reveals: 0,
    batches: 0,
    updated: 0,
    conflicts: [],
    clashes: [],
    renamed: [],
    changed: [],
  },
  limits: { copied: [], kept: [], refused: [] },
}

describe.each(journalKinds)('into $name', (kind) => {
  const open = async () => {
    const source = await openFile()
    const { journal, close, query } = await kind.openShared()
    onTestFinished(close)
    const desk = createOrderDesk(journal)
    return { source, journal, desk, query, copy: () => copyJournal(source.file, journal) }
  }

  test('counts the rows that are new, and the orders that change', async () => {
    const { source, desk, copy } = await open()
    await source.placed('o1')
    await source.placed('o2', { reference: 's' })
    const { profile, origin } = owner
    await source.recordReveals([
      { profile, origin, orderId: 'o1', skus: ['A'], at: 1, who: 'ana', how: 'copy' },
    ])
    await createBatchDesk(source.journal).save()
    expect(await copy()).toEqual({ ...nothing, orders: 2, calls: 2, reveals: 1, batches: 1 })
    expect(await copy()).toEqual(nothing)
    await source.confirmed('o1', { outcome: 'done' })
    expect(await copy()).toEqual({ ...nothing, calls: 1, updated: 1 })
    expect(await desk.getState('o1')).toBe('confirmed')
    expect(await desk.getState('o2')).toBe('created')
    await source.note('o1', 'successful', 3_000)
    expect(await copy()).toEqual(nothing)
  })

  test('copies nothing twice if two processes copy the same file at once', async () => {
    const source = await openFile()
    const { journal, address, close } = await kind.openShared()
    const other = await kind.openAt(address)
    onTestFinished(async () => {
      await other.close()
      await close()
    })
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
      const results = await Promise.all([journal, other].map((target) => copyJournal(source.file, target)))
      expect(results.reduce((sum, { orders, batches, reveals }) => sum + orders + batches + reveals, 0)).toBe(
        13,
      )
    }
    expect(await listReferences(journal, 200)).toHaveLength(72)
  })

  test('copies the limits that the target does not have', async () => {
    const { source, journal, copy } = await open()
    const limits = bindTo(source.journal, { listLimits, setLimit })
    const inTarget = bindTo(journal, { listLimits, setLimit })
    const { account } = owner
    await limits.setLimit(account, { kind: 'day', currency: 'USD', amount: '500' })
    await limits.setLimit(account, { kind: 'week', currency: 'USD', amount: '900' })
    await limits.setLimit({ address: sandboxAddress }, { kind: 'day', currency: 'USD', amount: '1' })
    await inTarget.setLimit(account, { kind: 'week', currency: 'USD', amount: '800' })
    const week = { kind: 'week', currency: 'USD', amount: '800', account: null }
    const day = { kind: 'day', currency: 'USD', amount: '500', account: null }
    expect(await copy()).toEqual({ ...nothing, limits: { copied: [day], kept: [week], refused: [] } })
    expect(await inTarget.listLimits(account)).toMatchObject([
      { kind: 'day', amount: '500', setBy: { user: 'ana', host: 'laptop' } },
      { kind: 'week', amount: '800' },
    ])
    expect(await copy()).toEqual({ ...nothing, limits: { copied: [], kept: [week], refused: [] } })
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
    using database = new DatabaseSync(source.file, { readBigInts: true })
    for (const sql of [
      "SELECT * FROM orders WHERE order_id = 'o1'",
      'SELECT * FROM calls ORDER BY number DESC LIMIT 2',
    ])
      expect(await read(query(sql))).toEqual(await read(Promise.resolve(database.prepare(sql).all())))
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
      await expect(copyJournal(source.file, failAfter(journal, transactions))).rejects.toThrow('interrupted')
      expect(await listReferences(journal, 600)).toHaveLength(orders)
    }
    expect(await copy()).toEqual({ ...nothing, orders: 10, calls: 10 })
    expect(await copy()).toEqual(nothing)
  })

  test('never copies the sandbox', async () => {
    const { source, journal, query, copy } = await open()
    const sandbox = { profile: 'sandbox', origin: sandboxAddress, account: { address: sandboxAddress } }
    await source.placed('sbx_1', sandbox)
    await createBatchDesk(source.journal).save(sandbox)
    const { profile, origin } = sandbox
    await source.recordReveals([
      { profile, origin, orderId: 'sbx_1', skus: ['A'], at: 1, who: 'ana', how: 'copy' },
    ])
    expect(await copy()).toEqual(nothing)
    expect(await listReferences(journal)).toEqual([])
    expect(await query('SELECT 1 FROM accounts')).toEqual([])
  })

  test('copies both orders of a reference, and reports the reference', async () => {
    const { source, desk, journal, copy } = await open()
    await desk.placed('t1', { reference: 'café' })
    await desk.placed('t2', { reference: 'only here' })
    await desk.placed('t3', { reference: 'Case' })
    await source.placed('o1', { reference: 'cafe\u0301', account: getAccountId(owner.origin, 'eu') })
    await source.placed('o2', { reference: 'only there' })
    await source.placed('o3', { reference: 'case' })
    expect(await copy()).toMatchObject({ orders: 3, conflicts: ['cafe\u0301'] })
    expect(await copy()).toEqual({ ...nothing, conflicts: ['cafe\u0301'] })
    expect(await listReferences(journal)).toHaveLength(6)
  })

  test('reports the reference of an order that came through a third journal, each time', async () => {
    const { source, desk, journal } = await open()
    await desk.placed('t1', { reference: 'here' })
    await source.placed('o1', { reference: 'here' })
    const between = await openFile()
    await between.placed('o2', { reference: 'elsewhere' })
    await copyJournal(source.file, between.journal)
    for (const orders of [2, 0])
      expect(await copyJournal(between.file, journal)).toMatchObject({ orders, conflicts: ['here'] })
  })

  test('reports no reference of void orders, of a different account, or of two orders of the source', async () => {
    const { source, desk, copy } = await open()
    const refuse = async (journal: OrderDesk, reference: string) =>
      journal.calls.endCreate(await journal.begin({ reference }), { outcome: 'refused' }, 1_100)
    await refuse(source, 'void there')
    await desk.placed('t1', { reference: 'void there' })
    await refuse(desk, 'void here')
    await source.placed('o1', { reference: 'void here' })
    await source.placed('o2', { reference: 'other account', ...accountAt('https://other.example') })
    await desk.placed('t2', { reference: 'other account' })
    await source.placed('o3', { reference: 'twice' })
    await source.placed('o4', { reference: 'twice', allowDuplicate: true })
    expect(await copy()).toMatchObject({ orders: 5, conflicts: [], clashes: [] })
  })

  test('renames a batch whose name is taken', async () => {
    const { source, journal, copy } = await open()
    await createBatchDesk(journal).save({ id: 'bat_here' })
    await createBatchDesk(journal).save({ id: 'bat_here_too', name: 'Gifts-2' })
    const there = createBatchDesk(source.journal)
    const { batch } = await there.save({ id: 'bat_there' })
    await recordStart(there.journal, batch, { maxTotal: '99', at: 200 })
    await there.place(1, 'o1')
    const renamed = [{ from: 'gifts', to: 'gifts-3' }]
    expect(await copy()).toMatchObject({ batches: 1, orders: 1, renamed })
    expect(await copy()).toEqual(nothing)
    const [copied] = await findBatches(journal.read, owner.account, 'gifts-3')
    expect(copied).toMatchObject({ id: 'bat_there', maxTotal: '99', by: { user: 'ana' } })
    expect(await findByBatch(journal.read, owner, 'gifts-3')).toMatchObject([{ orderId: 'o1', slot: 1 }])
    const claim = { batch: copied?.number ?? 0, slot: 1, lines: '[]', holdMs }
    expect(await journal.calls.beginCreate(intent({ claim, reference: 'again' }))).toMatchObject({
      kind: 'slot-taken',
    })
  })

  test('keeps the name that a cancelled batch and a later one share', async () => {
    const { source, journal, copy } = await open()
    const there = createBatchDesk(source.journal)
    const { batch } = await there.save({ id: 'bat_wrong' })
    await recordStart(there.journal, batch, { maxTotal: '99', at: 200 })
    await there.journal.calls.endCreate(await there.start(1), { outcome: 'refused', status: 400 }, 1_100)
    await there.save({ id: 'bat_right', at: 300 }, true)
    expect(await copy()).toMatchObject({ batches: 2, renamed: [] })
    expect(await findBatches(journal.read, owner.account, 'gifts')).toMatchObject([{ id: 'bat_right' }])
  })

  test('copies through a third journal once', async () => {
    const { source, journal, copy } = await open()
    await source.placed('o1')
    const between = await openFile()
    await between.placed('o2', { reference: 'between' })
    await copyJournal(source.file, between.journal)
    await source.placed('o3', { reference: 'later' })
    expect(await copy()).toMatchObject({ orders: 2 })
    expect(await copyJournal(between.file, journal)).toMatchObject({ orders: 1, conflicts: [], clashes: [] })
    expect(await listReferences(journal)).toEqual(['between', 'later', 'r'])
    // Back to where they came from.
    expect(await copyJournal(between.file, source.journal)).toMatchObject({ orders: 1 })
    expect(await listReferences(source.journal)).toEqual(['between', 'later', 'r'])
  })

  test('a copy of the file that was used since is a separate source', async () => {
    const { source, journal, copy } = await open()
    await source.placed('o1')
    const other = openScratch()
    onTestFinished(() => other[Symbol.dispose]())
    using database = new DatabaseSync(source.file)
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
