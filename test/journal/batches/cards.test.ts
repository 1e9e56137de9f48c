// The wanted cards of batches: their slots and results.

import { describe, expect, test } from 'vitest'
import type { WantedCard } from '../../../src/journal/batches/slot-cards.ts'
import { recordExpiry } from '../../../src/journal/orders/observations.ts'
import { getOrder, listCalls } from '../../../src/journal/orders/queries.ts'
import { journalKinds } from '../journals.ts'
import { type BatchDesk, createRow } from './batch-desk.ts'
import { openSavedBatch } from './open-desk.ts'

const groupBySku = (cards: readonly WantedCard[]): number[] => {
  const skus = [...new Set(cards.map(({ sku }) => sku))]
  return cards.map(({ sku }) => skus.indexOf(sku))
}
const isCoffee = ({ sku }: WantedCard): boolean => sku === 'COFFEE'
const at = 5_000

describe.each(journalKinds)('on $name', (kind) => {
  describe('changeSlotCards', () => {
    test('changes the cards that it is told to, and gets all cards of the slot', async () => {
      const { listOpenSlots, batches } = await openSavedBatch(kind)
      const changes = await batches.changeSlotCards(1, 2, (cards) => {
        expect(cards).toEqual([
          { card: 2, row: 0, slot: 2, state: 'wanted', sku: 'GAME-US', productType: 'fixed', quote: '25' },
          { card: 3, row: 1, slot: 2, state: 'wanted', sku: 'COFFEE', productType: 'fixed', quote: '2.5' },
        ])
        return [
          { card: 2, state: 'delivered', hash: 'h' },
          { card: 3, state: 'failed', error: 'sold out' },
        ]
      })
      expect(changes).toHaveLength(2)
      expect((await batches.listBatchCards(1)).slice(1)).toEqual([
        { card: 1, row: 0, slot: 1, state: 'wanted' },
        { card: 2, row: 0, slot: 2, state: 'delivered', hash: 'h' },
        { card: 3, row: 1, slot: 2, state: 'failed', error: 'sold out' },
      ])
      expect(await listOpenSlots()).toEqual([1])
    })
  })

  describe('failCards', () => {
    const fail = ({ batches }: BatchDesk) =>
      batches.failCards({ batch: 1, slot: 2, at }, isCoffee, 'not found')

    test('gives up the cards that match', async () => {
      const desk = await openSavedBatch(kind)
      expect(await fail(desk)).toBe(1)
      expect((await desk.batches.listBatchCards(1))[3]).toMatchObject({ state: 'failed', error: 'not found' })
      expect(await desk.countCards()).toEqual([3, 0, 1, 0])
      expect(await fail(desk)).toBe(0)
    })

    test('leaves the cards of a slot with a live order alone', async () => {
      const desk = await openSavedBatch(kind)
      const { order } = await desk.place(2, 'a')
      expect([await fail(desk), await desk.countCards()]).toEqual([0, [4, 0, 0, 0]])
      await desk.recordState(order, 'rejected')
      expect(await fail(desk)).toBe(0)
    })

    test('gives up the cards of an expired order', async () => {
      const desk = await openSavedBatch(kind)
      const { order } = await desk.place(2, 'a')
      const entry = await getOrder(desk.journal.read, order)
      if (entry !== undefined) await recordExpiry(desk.journal, entry, [], at)
      expect(await fail(desk)).toBe(1)
    })
  })

  describe('splitSlot', () => {
    test('uses the slot itself before it adds new ones', async () => {
      const { batches, split, listSlots } = await openSavedBatch(kind)
      // One order a card.
      await split(1, at, (cards) => cards.map((_, index) => index))
      expect([await listSlots(), (await batches.getBatch(1))?.lastSlot]).toEqual([[1, 3, 2, 2], 3])
      await split(2, at, (cards) => cards.map((_, index) => index))
      expect([await listSlots(), (await batches.getBatch(1))?.lastSlot]).toEqual([[1, 3, 2, 4], 4])
    })

    test('groups the wanted cards by their products', async () => {
      const { batches, split, listSlots } = await openSavedBatch(kind)
      await split(2, at, groupBySku)
      expect(await listSlots()).toEqual([1, 1, 2, 3])
      expect(await batches.readLines(1, 2)).toEqual([
        { sku: 'GAME-US', productType: 'fixed', quote: '25', quantity: 1 },
      ])
    })

    test('moves only wanted cards, of a slot without a live order', async () => {
      const { batches, place, split } = await openSavedBatch(kind)
      await place(1, 'a')
      await batches.failCards({ batch: 1, slot: 2, at }, isCoffee, 'not found')
      expect(await split(1, at, () => [0, 1])).toEqual([1, 2])
      expect(await split(2, at, () => [0])).toEqual([1, 2])
      expect((await batches.listBatchCards(1))[3]?.state).toBe('failed')
    })

    test('does nothing while an order is created', async () => {
      const { start, split } = await openSavedBatch(kind)
      await start(1)
      expect(await split(1, 2_000, () => [0, 1])).toEqual([1, 2])
    })
  })

  describe('retryFailed', () => {
    test('wants the failed cards again, in new slots', async () => {
      const { batches, countCards, listSlots } = await openSavedBatch(kind)
      await batches.changeSlotCards(1, 1, () => [
        { card: 0, state: 'delivered', hash: 'h' },
        { card: 1, state: 'failed', error: 'sold out' },
      ])
      await batches.failCards({ batch: 1, slot: 2, at }, isCoffee, 'not found')
      expect(await batches.retryFailed(1, groupBySku)).toBe(2)
      expect(await batches.listBatchCards(1)).toEqual([
        { card: 0, row: 0, slot: 1, state: 'delivered', hash: 'h' },
        { card: 1, row: 0, slot: 3, state: 'wanted' },
        { card: 2, row: 0, slot: 2, state: 'wanted' },
        { card: 3, row: 1, slot: 4, state: 'wanted' },
      ])
      expect([await countCards(), await listSlots(), (await batches.getBatch(1))?.lastSlot]).toEqual([
        [3, 1, 0, 0],
        [1, 3, 2, 4],
        4,
      ])
    })
  })

  describe('cancelWanted', () => {
    test('keeps the cards that a confirmed order, or one with an unproven confirm, may deliver', async () => {
      const { batches, place, confirm, journal, countCards } = await openSavedBatch(kind)
      await place(1, 'a')
      await place(2, 'b')
      await journal.calls.endConfirm(await confirm('a'), { outcome: 'done' }, at)
      await confirm('b')
      await batches.recordCancel(1, at)
      await batches.cancelWanted(1)
      expect(await countCards()).toEqual([4, 0, 0, 0])
    })

    test('does nothing if the batch is not cancelled', async () => {
      const { batches, countCards } = await openSavedBatch(kind)
      await batches.cancelWanted(1)
      expect(await countCards()).toEqual([4, 0, 0, 0])
    })
  })

  describe('the counts of a batch', () => {
    test('are those of its own rows, cards and orders', async () => {
      const { batches, save, place, confirm, journal } = await openSavedBatch(kind)
      await save({ name: 'other', rows: [createRow('RIDE', 9)], slotOf: () => 1 })
      expect([await batches.countRows(1), await batches.countRows(2), await batches.countSlots(1)]).toEqual([
        2, 1, 2,
      ])
      expect(await batches.countCardsByState(2)).toEqual({
        wanted: 9,
        delivered: 0,
        failed: 0,
        duplicate: 0,
        cancelled: 0,
      })
      await place(1, 'a')
      await journal.calls.endConfirm(await confirm('a'), { outcome: 'done' }, at)
      await batches.changeSlotCards(1, 1, (cards) =>
        cards.map(({ card }) => ({ card, state: 'failed', error: 'failed' })),
      )
      // The failed order was bought, and its cards are not wanted again.
      expect(await batches.countSlots(1)).toBe(2)
      await batches.retryFailed(1, groupBySku)
      expect(await batches.countSlots(1)).toBe(3)
    })

    test('omit the cards that were given up, and their order that was not confirmed', async () => {
      const { batches, place, journal } = await openSavedBatch(kind)
      const entry = await getOrder(journal.read, (await place(2, 'b')).order)
      if (entry !== undefined) await recordExpiry(journal, entry, [], at)
      await batches.failCards({ batch: 1, slot: 2, at }, () => true, 'not found')
      expect([await batches.countSlots(1), await batches.countEndedSlots(1)]).toEqual([1, 0])
    })

    test('count a wanted card as unproven only while its confirm is', async () => {
      const { batches, start, place, confirm, journal } = await openSavedBatch(kind)
      await journal.calls.endCreate(await start(1), { outcome: 'unknown' }, at)
      await place(2, 'b')
      expect(await batches.countUnknownCards(1)).toBe(0)
      const call = await confirm('b')
      expect(await batches.countUnknownCards(1)).toBe(2)
      // Until its deadline, the response may still arrive.
      expect([
        await batches.countUnknownCards(1, 47_000),
        await batches.countUnknownCards(1, 47_001),
      ]).toEqual([0, 2])
      await journal.calls.endConfirm(call, { outcome: 'unknown' }, at)
      expect(await batches.countUnknownCards(1, 47_000)).toBe(2)
      const entry = await getOrder(journal.read, call.order)
      if (entry !== undefined)
        await recordExpiry(journal, entry, (await listCalls(journal.read, call.order)).slice(1), at)
      expect(await batches.countUnknownCards(1)).toBe(0)
      await journal.calls.endConfirm(await confirm('b'), { outcome: 'refused', status: 400 }, at)
      expect(await batches.countUnknownCards(1)).toBe(0)
    })
  })

  test('changes of the cards of a batch leave those of another batch alone', async () => {
    const { listOpenSlots, batches, save, countCards, split } = await openSavedBatch(kind)
    await save({ name: 'other' })
    const fail = (batch: number) =>
      batches.changeSlotCards(batch, 1, (cards) =>
        cards.map(({ card }) => ({ card, state: 'failed', error: `no ${batch}` })),
      )
    await fail(2)
    const readOther = async () => [await batches.getBatch(2), await batches.listBatchCards(2)]
    const before = await readOther()
    await fail(1)
    expect(await listOpenSlots()).toEqual([2])
    expect(await batches.retryFailed(1, (cards) => cards.map(() => 0))).toBe(2)
    await split(3, at, (cards) => cards.map((_, index) => index))
    await batches.recordCancel(1, at)
    await batches.cancelWanted(1)
    expect(await countCards()).toEqual([0, 0, 0, 4])
    expect(await readOther()).toEqual(before)
    await fail(2)
    expect(await batches.retryFailed(2, (cards) => cards.map(() => 0))).toBe(2)
    expect(await listOpenSlots()).toEqual([])
  })
})
