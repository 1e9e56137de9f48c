import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getAccountId, sandboxAddress } from '../../../src/contract/account-id.ts'
import { openBatches } from '../../../src/journal/batches/open-batches.ts'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { listLimits, setLimit } from '../../../src/journal/limits/limits.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { openScratch } from '../../support/scratch.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { bindTo, journalKinds } from '../journals.ts'
import { accountAt, confirmIntent, createOrderDesk, intent, type OrderDesk, owner } from '../order-desk.ts'

const openFile = async () => {
  const scratch = openScratch()
  const journal = await openJournal(scratch.file, { identify: () => ({ osUser: 'ana', host: 'laptop' }) })
  onTestFinished(async () => {
    await journal.close()
    scratch[Symbol.dispose]()
  })
  return { file: scratch.file, journal, ...createOrderDesk(journal) }
}

const listReferences = async (journal: Journal) =>
  (await journal.listOrders({ limit: 100 })).map(({ reference }) => reference).toSorted()

const nothing = {
  ...{ orders: 0, calls: 0, reveals: 0, batches: 0, updated: 0, conflicts: [], renamed: [] },
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

  test('counts what is new, and then what changed', async () => {
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
    await source.note('o1', 'successful', 3_000)
    expect(await copy()).toEqual({ ...nothing, calls: 1, updated: 1 })
    expect(await desk.getState('o1')).toBe('successful')
    expect(await desk.getState('o2')).toBe('created')
  })

  test('copies nothing twice if two copy the same file at once', async () => {
    const { source, journal } = await open()
    for (let count = 0; count < 20; count += 1) await source.placed(`o${count}`, { reference: `r${count}` })
    await createBatchDesk(source.journal).save()
    const results = await Promise.all([1, 2].map(() => copyJournal(source.file, journal)))
    expect(results.reduce((sum, { orders, batches }) => sum + orders + batches, 0)).toBe(21)
    expect(await listReferences(journal)).toHaveLength(20)
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

  test('copies the products and the amount of orders, and updates them', async () => {
    const { source, query, copy } = await open()
    const request = '{"productList":[{"sku":"GAME-US","productType":"fixed","quote":25,"quantity":2}]}'
    const read = async () => {
      const [order] = await query('SELECT products, cards, delivered, charged FROM orders')
      return order
    }
    const ordered = '[["GAME-US","fixed","25",2,null,null]]'
    const delivered = '[["GAME-US","fixed","25",2,1,null]]'
    await source.placed('o1', { request })
    await copy()
    expect(await read()).toEqual({ products: ordered, cards: 2n, delivered: null, charged: null })
    await source.confirmed('o1', { outcome: 'done' })
    await source.recordOrder(1, { state: 'partial', total: '24', products: delivered, at: 3_000 })
    expect(await copy()).toMatchObject({ updated: 1 })
    expect(await read()).toEqual({ products: delivered, cards: 2n, delivered: 1n, charged: '24' })
    await source.recordOrder(1, { state: 'partial', total: '23', products: delivered, at: 4_000 })
    await copy()
    expect(await read()).toMatchObject({ charged: '23' })
    expect(await copy()).toEqual(nothing)
  })

  test('reports its progress after each transaction', async () => {
    const { source, journal } = await open()
    source.journal.groupWrites()
    await Promise.all(Array.from({ length: 510 }, (_, index) => source.begin({ reference: `r${index}` })))
    const progress: number[] = []
    await copyJournal(source.file, journal, ({ orders }) => progress.push(orders))
    expect(progress).toEqual([500, 510, 510])
  })

  test('never copies the sandbox', async () => {
    const { source, journal, copy } = await open()
    const sandbox = { profile: 'sandbox', origin: sandboxAddress, account: { address: sandboxAddress } }
    await source.placed('sbx_1', sandbox)
    await createBatchDesk(source.journal).save(sandbox)
    const { profile, origin } = sandbox
    await source.recordReveals([
      { profile, origin, orderId: 'sbx_1', skus: ['A'], at: 1, who: 'ana', how: 'copy' },
    ])
    expect(await copy()).toEqual(nothing)
    expect(await listReferences(journal)).toEqual([])
  })

  test('copies an open confirm as it is: nobody can send it again', async () => {
    const { source, desk, copy } = await open()
    await source.placed()
    await source.toConfirm('o1')
    await source.begin({ reference: 'lost' })
    await copy()
    expect(await desk.getState('o1')).toBe('unknown')
    expect(await desk.beginConfirm(confirmIntent('o1'))).toMatchObject({ kind: 'open' })
    expect(await desk.beginCreate(intent())).toMatchObject({ kind: 'taken' })
    expect(await desk.beginCreate(intent({ reference: 'lost' }))).toMatchObject({ kind: 'taken' })
  })

  test('an open confirm waits until the open confirm of the same order is settled', async () => {
    const { source, desk, copy } = await open()
    await source.placed('o1')
    await copy()
    const begun = await desk.toConfirm('o1', { at: 2_500 })
    await source.toConfirm('o1', { at: 2_400 })
    expect(await copy()).toMatchObject({ calls: 0 })
    expect(await desk.getState('o1')).toBe('unknown')
    await desk.endConfirm(begun, { outcome: 'not-sent' }, 2_600)
    expect(await desk.getState('o1')).toBe('created')
    expect(await copy()).toMatchObject({ calls: 1 })
    expect(await desk.getState('o1')).toBe('unknown')
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

  test('reports the reference of an order that came through another journal, each time', async () => {
    const { source, desk, journal } = await open()
    await desk.placed('t1', { reference: 'here' })
    await source.placed('o1', { reference: 'here' })
    const between = await openFile()
    await between.placed('o2', { reference: 'elsewhere' })
    await copyJournal(source.file, between.journal)
    for (const orders of [2, 0])
      expect(await copyJournal(between.file, journal)).toMatchObject({ orders, conflicts: ['here'] })
  })

  test('reports no reference of void orders, of another account, or of two orders of the source', async () => {
    const { source, desk, copy } = await open()
    const refuse = async (journal: OrderDesk, reference: string) =>
      journal.endCreate(await journal.begin({ reference }), { outcome: 'refused' }, 1_100)
    await refuse(source, 'void there')
    await desk.placed('t1', { reference: 'void there' })
    await refuse(desk, 'void here')
    await source.placed('o1', { reference: 'void here' })
    await source.placed('o2', { reference: 'other account', ...accountAt('https://other.example') })
    await desk.placed('t2', { reference: 'other account' })
    await source.placed('o3', { reference: 'twice' })
    await source.placed('o4', { reference: 'twice', allowDuplicate: true })
    expect(await copy()).toMatchObject({ orders: 5, conflicts: [] })
  })

  test('an order that both journals recorded stays one order', async () => {
    const { source, desk, journal, copy } = await open()
    await source.placed('o1')
    await desk.confirmed('o1', { outcome: 'done' })
    expect(await copy()).toEqual({ ...nothing, calls: 1, updated: 1 })
    expect(await copy()).toEqual(nothing)
    expect(await journal.listOrders({ limit: 9 })).toMatchObject([
      { orderId: 'o1', state: 'confirmed', request: '{"productList":[]}' },
    ])
  })

  test('renames a batch whose name is taken', async () => {
    const { source, journal, copy } = await open()
    await createBatchDesk(journal).save({ id: 'bat_here' })
    await createBatchDesk(journal).save({ id: 'bat_here_too', name: 'Gifts-2' })
    const there = createBatchDesk(source.journal)
    const { batch } = await there.save({ id: 'bat_there' })
    await there.batches.startBatch(batch, { maxTotal: '99', at: 200 })
    await there.place(1, 'o1')
    const renamed = [{ from: 'gifts', to: 'gifts-3' }]
    expect(await copy()).toMatchObject({ batches: 1, orders: 1, renamed })
    expect(await copy()).toEqual(nothing)
    const batches = openBatches(journal)
    const [copied] = await batches.findBatches(owner.account, 'gifts-3')
    expect(copied).toMatchObject({ id: 'bat_there', maxTotal: '99', by: { user: 'ana' } })
    expect(await journal.findByBatch(owner, 'gifts-3')).toMatchObject([{ orderId: 'o1', slot: 1 }])
    const claim = { batch: copied?.number ?? 0, slot: 1, lines: '[]' }
    expect(await journal.beginCreate(intent({ claim, reference: 'again' }))).toMatchObject({
      kind: 'slot-taken',
    })
  })

  test('copies through another journal once', async () => {
    const { source, journal, copy } = await open()
    await source.placed('o1')
    const between = await openFile()
    await between.placed('o2', { reference: 'between' })
    await copyJournal(source.file, between.journal)
    await source.placed('o3', { reference: 'later' })
    expect(await copy()).toMatchObject({ orders: 2 })
    expect(await copyJournal(between.file, journal)).toMatchObject({ orders: 1, conflicts: [] })
    expect(await listReferences(journal)).toEqual(['between', 'later', 'r'])
    // Back to where they came from.
    expect(await copyJournal(between.file, source.journal)).toMatchObject({ orders: 1 })
    expect(await listReferences(source.journal)).toEqual(['between', 'later', 'r'])
  })

  test('a copy of the file that went its own way is another source', async () => {
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

  test('refuses a file of another version, of another program, and none', async () => {
    const { journal } = await open()
    const scratch = openScratch()
    onTestFinished(() => scratch[Symbol.dispose]())
    await (await openJournal(scratch.file)).close()
    using database = new DatabaseSync(scratch.file)
    database.exec('PRAGMA user_version = 2')
    await expect(copyJournal(scratch.file, journal)).rejects.toMatchObject({
      kind: 'local-state',
      message: expect.stringContaining('was written by another version of orderctl'),
    })
    await expect(copyJournal('package.json', journal)).rejects.toMatchObject({ kind: 'usage' })
    await expect(copyJournal('/nowhere/journal.db', journal)).rejects.toMatchObject({ kind: 'usage' })
    expect(await listReferences(journal)).toEqual([])
  })
})

test('a journal is not copied into itself', async () => {
  const { file, journal, placed } = await openFile()
  await placed()
  await expect(copyJournal(file, journal)).rejects.toMatchObject({ kind: 'usage' })
})
