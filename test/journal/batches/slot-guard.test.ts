// At most one order of a slot is bought, and a batch stays within its cap.
import { describe, expect, test } from 'vitest'
import type { ConfirmEnd } from '../../../src/journal/calls.ts'
import { type BatchDesk, openSavedBatch } from './batch-desk.ts'

const at = 5_000

/** An order of slot 1 whose confirm ended so. */
const endConfirm =
  (end: ConfirmEnd) =>
  ({ place, confirm, journal }: BatchDesk): void => {
    place(1, 'a')
    journal.endConfirm(confirm('a'), end, at)
  }

const placeAndRecord =
  (state: string) =>
  ({ place, recordState }: BatchDesk): void =>
    void recordState(place(1, 'a').order, state)

const expire = ({ journal }: BatchDesk): void => {
  const [entry] = journal.listOrders({ limit: 1 })
  const unproven = journal.listCalls(entry?.number ?? 0).filter(({ operation }) => operation === 'confirm')
  if (entry !== undefined) journal.recordExpiry(entry, unproven, at)
}

describe('an order of a slot is created', () => {
  test('with its batch and slot', () => {
    const { start, journal, batches } = openSavedBatch()
    const { order } = start(2)
    expect(journal.getOrder(order)).toMatchObject({ batch: 1, slot: 2 })
    expect(batches.listSlotOrders(1, 2).map(({ number }) => number)).toEqual([order])
    expect(batches.listSlotOrders(1, 1)).toEqual([])
  })

  test.each<[string, (desk: BatchDesk) => void]>([
    ['a pending create', ({ start }) => void start(1, { at: 4_000, until: 49_000 })],
    ['a created order', ({ place }) => void place(1, 'a')],
    [
      'a created order without the rest of its answer',
      ({ start, journal }) => {
        journal.endCreate(start(1), { outcome: 'unknown', orderId: 'a', createdAt: 1, expiresAt: 2 }, at)
      },
    ],
    ['a pending confirm', ({ place, confirm }) => void (place(1, 'a') && confirm('a'))],
    ['a confirm whose answer was lost', endConfirm({ outcome: 'unknown' })],
    ['a refused confirm, which proves nothing', endConfirm({ outcome: 'refused', status: 419 })],
    ['a confirm that was not sent', endConfirm({ outcome: 'not-sent' })],
    ['a confirmed order', endConfirm({ outcome: 'done' })],
    ['a successful order', placeAndRecord('successful')],
    ['a failed order, which was bought', placeAndRecord('failed')],
    ['a rejected order, which was bought', placeAndRecord('rejected')],
  ])('but not beside %s', (_title, make) => {
    const desk = openSavedBatch()
    make(desk)
    const [first] = desk.batches.listSlotOrders(1, 1)
    expect(desk.beginCreate(1, { at })).toEqual({ kind: 'taken', by: first })
    expect(desk.beginCreate(2, { at })).toMatchObject({ kind: 'started' })
    expect(desk.batches.listSlotOrders(1, 1)).toHaveLength(1)
  })

  test.each<[string, (desk: BatchDesk) => void]>([
    [
      'a refused create',
      ({ start, journal }) => void journal.endCreate(start(1), { outcome: 'refused' }, at),
    ],
    [
      'a create that was not sent',
      ({ start, journal }) => void journal.endCreate(start(1), { outcome: 'not-sent' }, at),
    ],
    [
      'a create whose answer was lost',
      ({ start, journal }) => void journal.endCreate(start(1), { outcome: 'unknown' }, at),
    ],
    ['a create of a process that is gone', ({ start }) => void start(1, { at: -90_000, until: -45_000 })],
    ['an expired order', (desk) => void (desk.place(1, 'a') && expire(desk))],
    [
      'an expired order whose confirm was refused',
      (desk) => {
        endConfirm({ outcome: 'refused', status: 419 })(desk)
        expire(desk)
      },
    ],
  ])('after %s', (_title, make) => {
    const desk = openSavedBatch()
    make(desk)
    expect(desk.beginCreate(1, { at })).toMatchObject({ kind: 'started', order: 2 })
  })

  test('but not with other products than the slot wants', () => {
    const { beginCreate, createClaim, batches } = openSavedBatch()
    const claim = createClaim(2)
    expect(beginCreate(1, { claim: { ...claim, slot: 1 } })).toEqual({ kind: 'changed' })
    batches.failCards({ batch: 1, slot: 2, at }, ({ sku }) => sku === 'COFFEE', 'not found')
    expect(beginCreate(2, { claim })).toEqual({ kind: 'changed' })
    expect(beginCreate(2)).toMatchObject({ kind: 'started' })
  })

  test('but not of a batch that is cancelled or gone', () => {
    const { beginCreate, createClaim, batches, journal } = openSavedBatch()
    const claim = createClaim(1)
    batches.cancelBatch(1, at)
    expect(beginCreate(1)).toEqual({ kind: 'cancelled' })
    journal.deleteOrders({ address: 'orders.example' })
    expect(beginCreate(1, { claim })).toEqual({ kind: 'changed' })
    expect(journal.listOrders({ limit: 9 })).toEqual([])
  })
})

/** Two orders of slot 1, with different references: the answer to the first came late. */
const placeTwo = (desk: BatchDesk) => {
  const late = desk.start(1, { at: -90_000, until: -45_000 })
  const { order } = desk.place(1, 'new')
  desk.journal.endCreate(late, desk.createAnswer('late'), 1_200)
  const [newer, older] = [order, late.order].map((number) => desk.journal.getOrder(number))
  if (newer === undefined || older === undefined) throw new Error('not there')
  return { newer, older }
}

describe('an order of a slot is confirmed', () => {
  test('with the claim of the batch, and by hand without it', () => {
    const { place, beginConfirm, createClaim } = openSavedBatch()
    place(1, 'a')
    place(2, 'b')
    expect(beginConfirm('a', { claim: createClaim(1) })).toMatchObject({ kind: 'started' })
    expect(beginConfirm('b')).toMatchObject({ kind: 'started' })
  })

  test('but not if a newer order may be', () => {
    const desk = openSavedBatch()
    const { newer } = placeTwo(desk)
    expect(desk.beginConfirm('late')).toEqual({ kind: 'taken', by: newer })
    expect(desk.beginConfirm('new')).toMatchObject({ kind: 'started' })
  })

  test('once the newer order has expired', () => {
    const desk = openSavedBatch()
    const { newer } = placeTwo(desk)
    desk.journal.recordExpiry(newer, [], at)
    expect(desk.beginConfirm('late')).toMatchObject({ kind: 'started' })
  })

  test.each<[string, ConfirmEnd | undefined]>([
    ['pending', undefined],
    ['lost', { outcome: 'unknown' }],
    ['refused', { outcome: 'refused', status: 400 }],
    ['done', { outcome: 'done' }],
  ])('but not if the confirm of an older order is %s', (_title, end) => {
    const desk = openSavedBatch()
    const { newer, older } = placeTwo(desk)
    desk.journal.recordExpiry(newer, [], at)
    const call = desk.confirm('late')
    if (end !== undefined) desk.journal.endConfirm(call, end, at)
    expect(desk.beginConfirm('new')).toMatchObject({ kind: 'taken', by: { number: older.number } })
    expect(desk.beginCreate(1, { at })).toMatchObject({ kind: 'taken', by: { number: older.number } })
  })

  test('again after proof that the first confirm did not spend', () => {
    const { place, confirm, journal, beginConfirm } = openSavedBatch()
    place(1, 'a')
    journal.endConfirm(confirm('a'), { outcome: 'not-sent' }, at)
    expect(beginConfirm('a')).toMatchObject({ kind: 'started' })
  })

  test('but not if the slot wants other products', () => {
    const { place, beginConfirm, createClaim, batches } = openSavedBatch()
    place(2, 'b')
    const claim = createClaim(2)
    batches.settleSlot(1, 2, () => [{ card: 3, state: 'failed', error: 'not found' }])
    expect(beginConfirm('b', { claim })).toEqual({ kind: 'changed' })
    // Neither by hand, nor with the present claim: the order has the earlier products.
    expect(beginConfirm('b')).toEqual({ kind: 'changed' })
    expect(beginConfirm('b', { claim: createClaim(2) })).toEqual({ kind: 'changed' })
  })

  test('but not if it wants none', () => {
    const { place, beginConfirm, batches } = openSavedBatch()
    place(1, 'a')
    batches.settleSlot(1, 1, (cards) => cards.map(({ card }) => ({ card, state: 'cancelled' })))
    expect(beginConfirm('a')).toEqual({ kind: 'changed' })
  })

  test.each(['{', '{"productList":[{}]}', '{}'])('but not if its request is damaged: %s', (request) => {
    const { place, beginConfirm } = openSavedBatch()
    place(1, 'a', { request })
    expect(beginConfirm('a')).toEqual({ kind: 'changed' })
  })

  test('but not if the batch is cancelled', () => {
    const { place, beginConfirm, batches } = openSavedBatch()
    place(1, 'a')
    batches.cancelBatch(1, at)
    expect(beginConfirm('a')).toEqual({ kind: 'cancelled' })
    expect(beginConfirm('a', { allowDuplicate: true })).toMatchObject({ kind: 'started' })
  })
})

describe('the cap', () => {
  const open = () => {
    const desk = openSavedBatch()
    desk.place(1, 'a', { total: '50' })
    desk.place(2, 'b', { total: '27.5' })
    return desk
  }

  test('counts confirmed and unproven totals, without the order itself', () => {
    const { beginConfirm, confirm, journal, batches } = open()
    const seen: unknown[] = []
    const isWithinCap = (committed: unknown) => seen.push(committed) > 0
    const first = beginConfirm('a', { isWithinCap })
    expect([first.kind, seen]).toEqual(['started', [[]]])
    expect(batches.listCommitted(1)).toEqual([{ total: '50', count: 1 }])
    expect(beginConfirm('b', { isWithinCap: () => false })).toEqual({ kind: 'over-cap' })
    expect(journal.findOrder({ account: { address: 'orders.example' } }, 'b')?.state).toBe('created')
    if (first.kind === 'started') journal.endConfirm(first, { outcome: 'refused', status: 400 }, at)
    // The second confirm of an order does not count its own first one.
    expect(beginConfirm('a', { isWithinCap }).kind).toBe('started')
    expect(seen.at(-1)).toEqual([])
    journal.endConfirm(confirm('b'), { outcome: 'done' }, at)
    expect(batches.listCommitted(1)).toEqual([
      { total: '27.5', count: 1 },
      { total: '50', count: 1 },
    ])
  })

  test('counts orders of the same total together, and not those of another batch', () => {
    const { save, beginCreate, journal, createAnswer, confirm, batches, place } = openSavedBatch()
    place(1, 'a', { total: '50' })
    place(2, 'b', { total: '50' })
    save({ name: 'other' })
    const begun = beginCreate(1, {
      claim: { batch: 2, slot: 1, lines: '[["GAME-US","fixed","25",2]]' },
    })
    if (begun.kind !== 'started') throw new Error(begun.kind)
    journal.endCreate(begun, createAnswer('c', '1'), at)
    for (const id of ['a', 'b', 'c']) journal.endConfirm(confirm(id), { outcome: 'done' }, at)
    expect(batches.listCommitted(1)).toEqual([{ total: '50', count: 2 }])
    expect(batches.listCommitted(2)).toEqual([{ total: '1', count: 1 }])
  })

  test('no longer counts an order that is proven to be unconfirmed', () => {
    const desk = open()
    desk.journal.endConfirm(desk.confirm('b'), { outcome: 'unknown' }, at)
    expect(desk.batches.listCommitted(1)).toEqual([{ total: '27.5', count: 1 }])
    expire(desk)
    expect(desk.batches.listCommitted(1)).toEqual([])
  })
})
