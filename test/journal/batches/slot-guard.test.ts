// At most one order of a slot is bought, and a batch stays within its cap.

import { describe, expect, test } from 'vitest'
import type { ConfirmEnd } from '../../../src/journal/orders/calls.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { recordExpiry } from '../../../src/journal/orders/observations.ts'
import { findOrderById, getOrder, listCalls } from '../../../src/journal/orders/queries.ts'
import { deleteOrders } from '../../../src/journal/tables/list.ts'
import { everyJournalKind, journalKinds } from '../journals.ts'
import { type BatchDesk, createRow, holdMs } from './batch-desk.ts'
import { openBatchDesk, openSavedBatch } from './open-desk.ts'

const at = 5_000

/** An order of slot 1 whose confirm ended so. */
const endConfirm =
  (end: ConfirmEnd) =>
  async ({ place, confirm, journal }: BatchDesk): Promise<void> => {
    await place(1, 'a')
    await journal.calls.endConfirm(await confirm('a'), end, at)
  }

const placeAndRecord =
  (state: string) =>
  async ({ place, recordState }: BatchDesk): Promise<unknown> =>
    recordState((await place(1, 'a')).order, state)

const expire = async ({ journal }: BatchDesk): Promise<void> => {
  const [entry] = await listOrders(journal.read, { limit: 1 })
  const unproven = (await listCalls(journal.read, entry?.number ?? 0)).filter(
    ({ operation }) => operation === 'confirm',
  )
  if (entry !== undefined) await recordExpiry(journal, entry, unproven, at)
}

/** Two orders of slot 1, with different references: the response to the first came late. */
const placeTwo = async (desk: BatchDesk) => {
  const late = await desk.start(1, { at: 0, until: 900 })
  const { order } = await desk.place(1, 'new')
  await desk.journal.calls.endCreate(late, desk.createResponse('late'), 1_200)
  const newer = await getOrder(desk.journal.read, order)
  const older = await getOrder(desk.journal.read, late.order)
  if (newer === undefined || older === undefined) throw new Error('not there')
  return { newer, older }
}

test.each(everyJournalKind)(
  'on $name, of two orders of a slot, only the newer one is confirmed',
  async (kind) => {
    const desk = await openSavedBatch(kind)
    const { newer } = await placeTwo(desk)
    for (const allowDuplicate of [false, true])
      expect(await desk.beginConfirm('late', { allowDuplicate })).toEqual({ kind: 'slot-taken', by: newer })
    expect(await desk.beginConfirm('new')).toMatchObject({ kind: 'started' })
  },
)

describe.each(journalKinds)('on $name', (kind) => {
  describe('an order of a slot is created', () => {
    test('with its batch and slot', async () => {
      const { start, journal, batches } = await openSavedBatch(kind)
      const { order } = await start(2)
      expect(await getOrder(journal.read, order)).toMatchObject({ batch: 1, slot: 2 })
      expect((await batches.listSlotOrders(1, 2)).map(({ number }) => number)).toEqual([order])
      expect(await batches.listSlotOrders(1, 1)).toEqual([])
    })

    test.each<[string, (desk: BatchDesk) => Promise<unknown>]>([
      ['a pending create', ({ start }) => start(1, { at: 4_000, until: 49_000 })],
      ['a created order', ({ place }) => place(1, 'a')],
      [
        'a created order without the rest of its response',
        async ({ start, journal }) =>
          journal.calls.endCreate(
            await start(1),
            { outcome: 'unknown', orderId: 'a', createdAt: 1, expiresAt: 2 },
            at,
          ),
      ],
      [
        'a pending confirm',
        async ({ place, confirm }) => {
          await place(1, 'a')
          await confirm('a')
        },
      ],
      ['a confirm whose response was lost', endConfirm({ outcome: 'unknown' })],
      ['a refused confirm, which proves nothing', endConfirm({ outcome: 'refused', status: 419 })],
      ['a confirm that was not sent', endConfirm({ outcome: 'not-sent' })],
      ['a confirmed order', endConfirm({ outcome: 'done' })],
      ['a failed order, which was bought', placeAndRecord('failed')],
    ])('but not beside %s', async (_title, make) => {
      const desk = await openSavedBatch(kind)
      await make(desk)
      const [first] = await desk.batches.listSlotOrders(1, 1)
      expect(await desk.beginCreate(1, { at })).toEqual({ kind: 'slot-taken', by: first })
      expect(await desk.beginCreate(2, { at })).toMatchObject({ kind: 'started' })
      expect(await desk.batches.listSlotOrders(1, 1)).toHaveLength(1)
    })

    test.each<[string, (desk: BatchDesk) => Promise<unknown>]>([
      ...(['refused', 'not-sent', 'unknown'] as const).map(
        (outcome): [string, (desk: BatchDesk) => Promise<unknown>] => [
          `a create that ended as ${outcome}`,
          async ({ start, journal }) => journal.calls.endCreate(await start(1), { outcome }, at),
        ],
      ),
      ['a create of a process that is gone', ({ start }) => start(1, { at: 0, until: 900 })],
      [
        'an expired order',
        async (desk) => {
          await desk.place(1, 'a')
          await expire(desk)
        },
      ],
      [
        'an expired order whose confirm was refused',
        async (desk) => {
          await endConfirm({ outcome: 'refused', status: 419 })(desk)
          await expire(desk)
        },
      ],
    ])('after %s', async (_title, make) => {
      const desk = await openSavedBatch(kind)
      await make(desk)
      expect(await desk.beginCreate(1, { at })).toMatchObject({ kind: 'started', order: 2 })
    })

    test('but not with other products than the slot wants', async () => {
      const { beginCreate, createClaim, batches } = await openSavedBatch(kind)
      const claim = await createClaim(2)
      expect(await beginCreate(1, { claim: { ...claim, slot: 1 } })).toEqual({ kind: 'changed' })
      await batches.failCards({ batch: 1, slot: 2, at }, ({ sku }) => sku === 'COFFEE', 'not found')
      expect(await beginCreate(2, { claim })).toEqual({ kind: 'changed' })
      expect(await beginCreate(2)).toMatchObject({ kind: 'started' })
    })

    test('but not of a batch that is cancelled or gone', async () => {
      const { beginCreate, createClaim, batches, journal } = await openSavedBatch(kind)
      const claim = await createClaim(1)
      await batches.recordCancel(1, at)
      expect(await beginCreate(1)).toEqual({ kind: 'cancelled' })
      await deleteOrders(journal, { address: 'orders.example' })
      expect(await beginCreate(1, { claim })).toEqual({ kind: 'changed' })
      expect(await listOrders(journal.read, { limit: 9 })).toEqual([])
    })
  })

  describe('an order of a slot is confirmed', () => {
    test('with the claim of the batch, and by hand without it', async () => {
      const { place, beginConfirm, createClaim } = await openSavedBatch(kind)
      await place(1, 'a')
      await place(2, 'b')
      expect(await beginConfirm('a', { claim: await createClaim(1) })).toMatchObject({ kind: 'started' })
      expect(await beginConfirm('b')).toMatchObject({ kind: 'started' })
    })

    test('once the newer order has expired', async () => {
      const desk = await openSavedBatch(kind)
      const { newer } = await placeTwo(desk)
      await recordExpiry(desk.journal, newer, [], at)
      expect(await desk.beginConfirm('late')).toMatchObject({ kind: 'started' })
    })

    test('although a run that died holds the slot with its create', async () => {
      const { start, journal, createResponse, beginConfirm } = await openSavedBatch(kind)
      const late = await start(1, { at: 0, until: 900 })
      const dead = await start(1, { at: 1_000, until: 1_900 })
      await journal.calls.endCreate(late, createResponse('late'), 1_950)
      expect(await beginConfirm('late', { at, until: 50_000 })).toMatchObject({ kind: 'started' })
      expect(await getOrder(journal.read, dead.order)).toMatchObject({ standing: 'void', voidReason: 'lost' })
    })

    test.each<[string, ConfirmEnd | undefined]>([
      ['pending', undefined],
      ['lost', { outcome: 'unknown' }],
      ['refused', { outcome: 'refused', status: 400 }],
      ['done', { outcome: 'done' }],
    ])('but not if the confirm of an older order is %s', async (_title, end) => {
      const desk = await openSavedBatch(kind)
      const { newer, older } = await placeTwo(desk)
      await recordExpiry(desk.journal, newer, [], at)
      const call = await desk.confirm('late')
      if (end !== undefined) await desk.journal.calls.endConfirm(call, end, at)
      const taken = { kind: 'slot-taken', by: { number: older.number } }
      expect(await desk.beginConfirm('new')).toMatchObject(taken)
      expect(await desk.beginCreate(1, { at })).toMatchObject(taken)
    })

    test('but not with the claim of a different slot or batch that wants the same', async () => {
      const { save, place, beginConfirm, createClaim } = await openBatchDesk(kind)
      const plan = { rows: [createRow('GAME-US', 2)], slotOf: (card: number) => card + 1 }
      await save(plan)
      await save({ ...plan, name: 'other' })
      await place(1, 'a')
      for (const claim of [await createClaim(2), await createClaim(1, 2)])
        expect(await beginConfirm('a', { claim })).toMatchObject({ kind: 'slot-taken', by: { orderId: 'a' } })
    })

    test('but not if the slot wants other products', async () => {
      const { place, beginConfirm, createClaim, batches } = await openSavedBatch(kind)
      await place(2, 'b')
      const claim = await createClaim(2)
      await batches.changeSlotCards(1, 2, () => [{ card: 3, state: 'failed', error: 'not found' }])
      expect(await beginConfirm('b', { claim })).toEqual({ kind: 'changed' })
      // Neither by hand, nor with the present claim: the order has the earlier products.
      expect(await beginConfirm('b')).toEqual({ kind: 'changed' })
      expect(await beginConfirm('b', { claim: await createClaim(2) })).toEqual({ kind: 'changed' })
    })

    test.each(['{', '{"productList":[{}]}', '{}'])(
      'but not if its request is damaged: %s',
      async (request) => {
        const { place, beginConfirm } = await openSavedBatch(kind)
        await place(1, 'a', { request })
        expect(await beginConfirm('a')).toEqual({ kind: 'changed' })
      },
    )

    test('but not if the batch is cancelled', async () => {
      const { place, beginConfirm, batches } = await openSavedBatch(kind)
      await place(1, 'a')
      await batches.recordCancel(1, at)
      expect(await beginConfirm('a')).toEqual({ kind: 'cancelled' })
      expect(await beginConfirm('a', { allowDuplicate: true })).toEqual({ kind: 'cancelled' })
    })

    test('but not without its batch, after the response to its create was lost', async () => {
      const { start, place, journal, beginConfirm } = await openSavedBatch(kind)
      const lost = await start(1, { reference: 'gifts-0001' })
      await journal.calls.endCreate(lost, { outcome: 'unknown' }, at)
      const { order } = await place(1, 'again', { reference: 'gifts-0001-2' })
      const confirmLost = (allowDuplicate: boolean) =>
        beginConfirm('lost', { reference: 'gifts-0001', allowDuplicate })
      expect(await confirmLost(false)).toMatchObject({ kind: 'taken', by: { number: lost.order } })
      expect(await beginConfirm('again', { reference: 'gifts-0001-2' })).toMatchObject({ order })
      expect(await confirmLost(false)).toMatchObject({ kind: 'taken', by: { number: lost.order } })
      expect(await confirmLost(true)).toMatchObject({ kind: 'started' })
    })
  })

  describe('the cap', () => {
    const open = async () => {
      const desk = await openSavedBatch(kind)
      await desk.place(1, 'a', { total: '50' })
      await desk.place(2, 'b', { total: '27.5' })
      return desk
    }

    test('counts confirmed and unproven totals, without the order itself', async () => {
      const { allow, beginConfirm, confirm, journal, readCommitted } = await open()
      const ofFirst = { millionths: 50_000_000n, orders: 1, isDamaged: false }
      await allow('50')
      const first = await confirm('a', { total: '50' })
      expect(await readCommitted(1)).toEqual(ofFirst)
      for (const allowDuplicate of [false, true]) {
        expect(await beginConfirm('b', { total: '27.5', allowDuplicate })).toEqual({
          kind: 'over-cap',
          use: { name: 'gifts', committed: ofFirst, maxTotal: '50', approvedCaps: [] },
        })
      }
      expect(
        (await findOrderById(journal.read, { account: { address: 'orders.example' } }, 'b'))?.state,
      ).toBe('created')
      await journal.calls.endConfirm(first, { outcome: 'refused', status: 400 }, at)
      // The second confirm of an order does not count its own first one.
      expect((await beginConfirm('a', { total: '50' })).kind).toBe('started')
      await allow('77.5')
      await journal.calls.endConfirm(await confirm('b', { total: '27.5' }), { outcome: 'done' }, at)
      expect(await readCommitted(1)).toEqual({ millionths: 77_500_000n, orders: 2, isDamaged: false })
    })

    test('counts orders of the same total together, and not those of a different batch', async () => {
      const { save, beginCreate, journal, createResponse, confirm, readCommitted, place } =
        await openSavedBatch(kind)
      await place(1, 'a', { total: '50' })
      await place(2, 'b', { total: '50' })
      await save({ name: 'other' })
      const begun = await beginCreate(1, {
        claim: { batch: 2, slot: 1, lines: '[["GAME-US","fixed","25",2]]', holdMs },
      })
      if (begun.kind !== 'started') throw new Error(begun.kind)
      await journal.calls.endCreate(begun, createResponse('c', '1'), at)
      for (const id of ['a', 'b']) await journal.calls.endConfirm(await confirm(id), { outcome: 'done' }, at)
      await confirm('c', { total: '1' })
      expect(await readCommitted(1)).toMatchObject({ millionths: 100_000_000n, orders: 2 })
      expect(await readCommitted(2)).toMatchObject({ millionths: 1_000_000n, orders: 1 })
    })

    test.each(['unknown', 'refused'] as const)(
      'counts an order whose confirm ended as %s, until it is proven to be unconfirmed',
      async (outcome) => {
        const desk = await open()
        await desk.journal.calls.endConfirm(await desk.confirm('b'), { outcome }, at)
        expect(await desk.readCommitted(1)).toMatchObject({ millionths: 27_500_000n, orders: 1 })
        await expire(desk)
        expect(await desk.readCommitted(1)).toMatchObject({ millionths: 0n, orders: 0 })
      },
    )
  })
})
