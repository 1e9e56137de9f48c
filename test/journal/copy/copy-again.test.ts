// What a copy does with an order that is already in the target: it inserts the calls that the target lacks, and moves
// the standing by what the source proves.

import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findBatches, listNewestBatches, recordStart } from '../../../src/journal/batches/batches.ts'
import { changeSlotCards } from '../../../src/journal/batches/cards.ts'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { isUnproven } from '../../../src/journal/orders/entry.ts'
import { recordUnconfirmed } from '../../../src/journal/orders/observations.ts'
import { openScratch } from '../../support/scratch.ts'
import { createBatchDesk, holdMs } from '../batches/batch-desk.ts'
import { journalKinds } from '../journals.ts'
import { confirmIntent, createOrderDesk, done, intent, type OrderDesk, owner } from '../order-desk.ts'

const get = async ({ findOrder }: OrderDesk, orderId = 'o1') => {
  const entry = await findOrder(owner, orderId)
  if (entry === undefined) throw new Error(`the order ${orderId} is missing`)
  return entry
}

/** Proves that the order expired, and that no confirm of it took effect. */
const expire = async (desk: OrderDesk, at: number) => {
  const entry = await get(desk)
  await desk.recordExpiry(entry, (await desk.listCalls(entry.number)).filter(isUnproven), at)
}

type Work = (desk: OrderDesk) => Promise<unknown>

const confirm =
  (outcome: 'done' | 'refused' | 'not-sent' | 'unknown', at: number): Work =>
  async (desk) =>
    desk.endConfirm(await desk.toConfirm('o1', { at }), { outcome }, at + 100)

const inTurn =
  (...works: readonly Work[]): Work =>
  async (desk) => {
    for (const work of works) await work(desk)
  }

const refuseAndExpire = inTurn(confirm('refused', 3_000), (desk) => expire(desk, 4_000))
const waitsUnconfirmed = inTurn(confirm('unknown', 2_000), async (desk) =>
  recordUnconfirmed(desk, await get(desk), 2_500, 2_500),
)

describe.each(journalKinds)('into $name', (kind) => {
  const open = async () => {
    const scratch = openScratch()
    const source = await openJournal(scratch.file)
    const { journal, close, query } = await kind.openShared()
    onTestFinished(async () => {
      await close()
      await source.close()
      scratch[Symbol.dispose]()
    })
    const copy = () => copyJournal(scratch.file, journal)
    return {
      source: createOrderDesk(source),
      desk: createOrderDesk(journal),
      query,
      copy,
      file: scratch.file,
    }
  }

  const paid = confirm('done', 3_000)
  const expired = { standing: 'void', voidReason: 'expired' }

  // copy-histories.slow.test.ts has everything else that may happen to an order.
  test.each<[what: string, inSource: Work, expected: object, inTarget?: Work]>([
    ['a confirm', paid, { standing: 'confirmed', confirms: 1 }],
    ['a refused confirm that is proven', refuseAndExpire, { ...expired, confirms: 1 }],
    ['that an unproven confirm of the target was paid', paid, { standing: 'confirmed' }, waitsUnconfirmed],
    [
      'nothing about the unproven confirm of the target, and it makes a sighting worthless',
      refuseAndExpire,
      { standing: 'confirming', confirms: 2, unconfirmedAt: undefined },
      waitsUnconfirmed,
    ],
  ])('%s', async (_, inSource, expected, inTarget) => {
    const { source, desk, copy } = await open()
    await source.placed()
    await copy()
    await inTarget?.(desk)
    await inSource(source)
    await copy()
    const order = await get(desk)
    expect({ unconfirmedAt: undefined, ...order }).toMatchObject(expected)
    const begun = (await desk.beginCreate(intent({ at: 9_000 }))).kind
    expect(begun).toBe(order.standing === 'void' ? 'started' : 'taken')
    expect(await copy()).toMatchObject({ calls: 0, updated: 0 })
  })

  test('a confirm counts against budgets from when it was sent, with the total that it accepted', async () => {
    const { source, query, copy, file } = await open()
    await source.placed()
    await copy()
    const accepted = { total: '30', wallet: 'EUR', accepted: '[]' }
    await source.endConfirm(await source.toConfirm('o1', accepted), { outcome: 'done' }, 2_100)
    await copy()
    const reserved = 'SELECT reserved_at, total, wallet FROM orders'
    const [ours] = await query(reserved)
    using database = new DatabaseSync(file, { readBigInts: true })
    expect(ours).toEqual({ ...database.prepare(reserved).get() })
    expect(ours).toMatchObject({ total: '30', wallet: 'EUR' })
  })

  describe('an order that one journal placed and the other confirmed by its id', () => {
    const placed: Work = (desk) => desk.placed()
    const confirmed = confirm('done', 2_000)

    test.each([
      ['placed it', placed, confirmed],
      ['confirmed it', confirmed, placed],
    ] as const)('stays one order if the source %s', async (_, inSource, inTarget) => {
      const { source, desk, copy } = await open()
      await inSource(source)
      await inTarget(desk)
      expect(await copy()).toMatchObject({ orders: 0, calls: 1, updated: 1, conflicts: [] })
      expect(await desk.listOrders({ limit: 9 })).toMatchObject([{ orderId: 'o1', standing: 'confirmed' }])
      expect(await desk.beginCreate(intent())).toMatchObject({ kind: 'taken' })
      expect(await desk.beginConfirm(confirmIntent('o1'))).toMatchObject({ kind: 'confirmed' })
      expect(await copy()).toMatchObject({ orders: 0, calls: 0, updated: 0, conflicts: [] })
    })

    test('is two orders if the service gave the id twice', async () => {
      const { source, desk, copy } = await open()
      await source.placed('o1')
      await desk.endCreate(await desk.begin(), { ...done('o1'), createdAt: 900 }, 1_100)
      expect(await copy()).toMatchObject({ orders: 1, conflicts: ['r'] })
      await desk.placed('o2', { reference: 'other' })
      await source.placed('o2', { reference: 'another' })
      expect(await copy()).toMatchObject({ orders: 1, conflicts: ['r'] })
      expect(await desk.listOrders({ limit: 9 })).toHaveLength(4)
    })

    test('is never a different order with the same id and reference', async () => {
      const { source, desk, copy } = await open()
      const again = { allowDuplicate: true }
      await source.placed('o1')
      await source.placed('o1', again)
      await desk.placed('o1')
      expect(await copy()).toMatchObject({ orders: 1, updated: 1 })
      await source.placed('o1', again)
      expect(await copy()).toMatchObject({ orders: 1, updated: 0 })
      await desk.placed('o1', again)
      expect(await copy()).toMatchObject({ orders: 0, updated: 0 })
      expect(await desk.listOrders({ limit: 9 })).toHaveLength(4)
    })

    test('buys the slot of the batch that it was placed for', async () => {
      const { source, desk, copy } = await open()
      const there = createBatchDesk(source)
      const { batch } = await there.save()
      await recordStart(there.journal, batch, { maxTotal: '99', at: 200 })
      await there.place(1, 'o1', { reference: 'r' })
      await confirmed(desk)
      expect(await copy()).toMatchObject({ batches: 1, orders: 0, updated: 1 })
      const [copied] = await findBatches(desk.read, owner.account, 'gifts')
      const claim = { batch: copied?.number ?? 0, slot: 1, lines: '[]', holdMs }
      expect(await desk.beginCreate(intent({ claim, reference: 'again' }))).toMatchObject({
        kind: 'slot-taken',
      })
    })
  })

  describe('a batch that was copied', () => {
    const openBatch = async ({ isStarted = true } = {}) => {
      const { source, desk, query, copy } = await open()
      const there = createBatchDesk(source)
      const { batch } = await there.save()
      if (isStarted) await recordStart(there.journal, batch, { maxTotal: '99', at: 200 })
      await copy()
      const read = () =>
        query('SELECT * FROM batches JOIN batch_cards ON batch = batches.number ORDER BY card')
      return { ...there, batch, source, desk, here: createBatchDesk(desk), copy, read }
    }
    type Opened = Awaited<ReturnType<typeof openBatch>>

    test.each<readonly [change: string, work: (opened: Opened) => Promise<unknown>]>([
      ['has a higher cap', ({ batches, batch }) => batches.recordStart(batch, { maxTotal: '100', at: 200 })],
      ['was cancelled', ({ batches, batch }) => batches.recordCancel(batch.number, 200)],
      ['was stopped', ({ batches, batch }) => batches.recordStop(batch.number, 'cap', 200)],
      [
        'has a delivered card',
        ({ batches, batch }) =>
          batches.changeSlotCards(batch.number, 1, () => [{ card: 0, state: 'delivered', hash: 'x' }]),
      ],
      [
        'has a failed card',
        ({ batches, batch }) => batches.failCards({ batch: batch.number, slot: 1, at: 200 }, () => true, 'x'),
      ],
    ])('is refused by name and stays unchanged if it %s in the source', async (_, work) => {
      const opened = await openBatch()
      const { copy, read, source, desk } = opened
      const before = await read()
      await work(opened)
      await source.placed('o9', { reference: 'other' })
      for (const orders of [1, 0])
        expect(await copy()).toMatchObject({ batches: 0, orders, changed: ['gifts'] })
      expect(await read()).toEqual(before)
      expect(await get(desk, 'o9')).toMatchObject({ standing: 'pending' })
    })

    test('is refused if it was a plan and was started, but not if the plan was cancelled', async () => {
      const { batches, batch, copy } = await openBatch({ isStarted: false })
      await batches.recordCancel(batch.number, 200)
      expect(await copy()).toMatchObject({ changed: [] })
      const other = await openBatch({ isStarted: false })
      await recordStart(other.journal, other.batch, { maxTotal: '99', at: 300 })
      expect(await other.copy()).toMatchObject({ changed: ['gifts'] })
    })

    test('is copied again if the target replaced the plan', async () => {
      const { desk, here, copy } = await openBatch({ isStarted: false })
      await here.save({ id: 'bat_other', demand: 'other' }, true)
      for (const batches of [1, 0]) expect(await copy()).toMatchObject({ batches, changed: [] })
      expect(await listNewestBatches(desk.read, { limit: 9 })).toMatchObject([
        { name: 'gifts-2' },
        { name: 'gifts' },
      ])
    })

    test('is not refused because the target goes on with it', async () => {
      const { here, copy, read } = await openBatch()
      await here.place(1, 't1', { reference: 'here' })
      await changeSlotCards(here.journal, 1, 1, () => [{ card: 0, state: 'delivered', hash: 'x' }])
      const before = await read()
      expect(await copy()).toMatchObject({ orders: 0, changed: [], conflicts: [] })
      expect(await read()).toEqual(before)
    })

    test('has one live order of a slot: a new one gives way, and so does one of the target to a confirmed one', async () => {
      const { place, start, confirm, source, here, desk, copy } = await openBatch()
      await here.place(1, 't1', { reference: 'here-1' })
      await place(1, 'o1', { reference: 'there-1' })
      const pending = await here.place(2, 't2', { reference: 'here-2' })
      await place(2, 'o2', { reference: 'there-2' })
      await source.endConfirm(await confirm('o2'), { outcome: 'done' }, 2_100)
      expect(await copy()).toMatchObject({ orders: 2, clashes: [] })
      expect(await get(desk, 'o1')).toMatchObject({ standing: 'void', voidReason: 'unwanted' })
      expect(await get(desk, 't1')).toMatchObject({ standing: 'pending' })
      expect(await get(desk, 'o2')).toMatchObject({ standing: 'confirmed' })
      expect(await desk.getOrder(pending.order)).toMatchObject({ standing: 'void', voidReason: 'unwanted' })
      await expect(start(1)).rejects.toThrow('slot-taken')
    })

    test('with two orders of a slot that may have spent reports both, and buys no other slot again', async () => {
      const { place, confirm, source, here, desk, copy } = await openBatch()
      await here.place(1, 't1', { reference: 'here' })
      await here.confirm('t1')
      await place(1, 'o1', { reference: 'there' })
      await source.endConfirm(await confirm('o1'), { outcome: 'done' }, 2_100)
      await place(2, 'o2')
      await source.endConfirm(await confirm('o2'), { outcome: 'done' }, 2_100)
      const clashes = [{ batch: 'gifts', orders: ['o1', 't1'] }]
      for (const orders of [2, 0]) expect(await copy()).toMatchObject({ orders, clashes })
      expect(await here.beginCreate(2)).toMatchObject({ kind: 'slot-taken', by: { orderId: 'o2' } })
      expect(await get(desk, 'o1')).toMatchObject({ standing: 'confirmed' })
    })

    test('takes over an order that the target confirmed by hand, in place of one that was not', async () => {
      const { place, here, desk, copy } = await openBatch()
      await here.place(1, 't1', { reference: 'here' })
      await place(1, 'o1', { reference: 'there' })
      const begun = await desk.beginConfirm(confirmIntent('o1', { reference: 'there' }))
      expect(begun).toMatchObject({ kind: 'started' })
      expect(await copy()).toMatchObject({ updated: 1 })
      expect(await get(desk, 'o1')).toMatchObject({ standing: 'confirming', slot: 1 })
      expect(await get(desk, 't1')).toMatchObject({ standing: 'void', voidReason: 'unwanted' })
      expect(await here.beginConfirm('t1')).toMatchObject({ kind: 'slot-taken', by: { orderId: 'o1' } })
    })

    test('has no slot that is bought again, even if it changed', async () => {
      const { place, confirm, batches, batch, source, here, copy } = await openBatch()
      await place(1, 'o1')
      await source.endConfirm(await confirm('o1'), { outcome: 'done' }, 2_100)
      await batches.changeSlotCards(batch.number, 1, () => [{ card: 0, state: 'delivered', hash: 'x' }])
      expect(await copy()).toMatchObject({ orders: 1, changed: ['gifts'] })
      expect(await here.beginCreate(1)).toMatchObject({ kind: 'slot-taken', by: { orderId: 'o1' } })
    })
  })
})
