// The wanted cards of batches: their slots, and what became of them.
import { describe, expect, test } from 'vitest'
import type { WantedCard } from '../../../src/journal/batches/card-table.ts'
import { createRow, openSavedBatch } from './batch-desk.ts'

const groupBySku = (cards: readonly WantedCard[]): number[] => {
  const skus = [...new Set(cards.map(({ sku }) => sku))]
  return cards.map(({ sku }) => skus.indexOf(sku))
}
const isCoffee = ({ sku }: WantedCard): boolean => sku === 'COFFEE'
const at = 5_000

describe('settleSlot', () => {
  test('changes the cards that it is told to, and gets all cards of the slot', () => {
    const { batches } = openSavedBatch()
    const changes = batches.settleSlot(1, 2, (cards) => {
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
    expect(batches.listCards(1).slice(1)).toEqual([
      { card: 1, row: 0, slot: 1, state: 'wanted' },
      { card: 2, row: 0, slot: 2, state: 'delivered', hash: 'h' },
      { card: 3, row: 1, slot: 2, state: 'failed', error: 'sold out' },
    ])
    expect(batches.listOpenSlots(1)).toEqual([1])
  })

  test('changes nothing if the decision fails', () => {
    const { batches, countCards } = openSavedBatch()
    const decide = () => {
      throw new Error('no decision')
    }
    expect(() => batches.settleSlot(1, 1, decide)).toThrow('no decision')
    expect(countCards()).toEqual([4, 0, 0, 0])
  })
})

describe('failCards', () => {
  const fail = ({ batches }: ReturnType<typeof openSavedBatch>) =>
    batches.failCards({ batch: 1, slot: 2, at }, isCoffee, 'not found')

  test('gives up the cards that match', () => {
    const desk = openSavedBatch()
    expect(fail(desk)).toBe(1)
    expect(desk.batches.listCards(1)[3]).toMatchObject({ state: 'failed', error: 'not found' })
    expect(desk.countCards()).toEqual([3, 0, 1, 0])
    expect(fail(desk)).toBe(0)
  })

  test('leaves the cards of a slot with a live order alone', () => {
    const desk = openSavedBatch()
    const { order } = desk.place(2, 'a')
    expect([fail(desk), desk.countCards()]).toEqual([0, [4, 0, 0, 0]])
    desk.recordState(order, 'rejected')
    expect(fail(desk)).toBe(0)
  })

  test('gives up the cards of an expired order', () => {
    const desk = openSavedBatch()
    const { order } = desk.place(2, 'a')
    const entry = desk.journal.getOrder(order)
    if (entry !== undefined) desk.journal.recordExpiry(entry, [], at)
    expect(fail(desk)).toBe(1)
  })
})

describe('repackSlots', () => {
  test('uses the free slots before it adds new ones', () => {
    const { batches, listSlots } = openSavedBatch()
    // One order a card: two slots are free, and two are new.
    expect(batches.repackSlots(1, [1, 2], at, (cards) => cards.map((_, index) => index))).toEqual([
      1, 2, 3, 4,
    ])
    expect([listSlots(), batches.getBatch(1)?.lastSlot]).toEqual([[1, 2, 3, 4], 4])
  })

  test('leaves slots over if fewer orders are enough', () => {
    const { batches, listSlots } = openSavedBatch()
    expect(batches.repackSlots(1, [1, 2], at, (cards) => cards.map(() => 7))).toEqual([1])
    expect([listSlots(), batches.listOpenSlots(1)]).toEqual([[1, 1, 1, 1], [1]])
  })

  test('groups the wanted cards by their products', () => {
    const { batches, listSlots } = openSavedBatch()
    batches.repackSlots(1, [1, 2], at, groupBySku)
    expect(listSlots()).toEqual([1, 1, 1, 2])
    expect(batches.readLines(1, 1)).toEqual([
      { sku: 'GAME-US', productType: 'fixed', quote: '25', quantity: 3 },
    ])
  })

  test('moves only wanted cards, of slots without a live order', () => {
    const { batches, place, listSlots } = openSavedBatch()
    place(1, 'a')
    batches.failCards({ batch: 1, slot: 2, at }, isCoffee, 'not found')
    expect(batches.repackSlots(1, [1, 2], at, () => [0])).toEqual([2])
    expect(listSlots()).toEqual([1, 1, 2, 2])
    expect(batches.listCards(1)[3]?.state).toBe('failed')
  })

  test('does nothing without free slots', () => {
    const { batches, start, listSlots } = openSavedBatch()
    start(1)
    expect(batches.repackSlots(1, [1], 2_000, () => [])).toEqual([])
    expect(listSlots()).toEqual([1, 1, 2, 2])
  })
})

describe('retryFailed', () => {
  test('wants the failed cards again, in new slots', () => {
    const { batches, countCards, listSlots } = openSavedBatch()
    batches.settleSlot(1, 1, () => [
      { card: 0, state: 'delivered', hash: 'h' },
      { card: 1, state: 'failed', error: 'sold out' },
    ])
    batches.failCards({ batch: 1, slot: 2, at }, isCoffee, 'not found')
    expect(batches.retryFailed(1, groupBySku)).toBe(2)
    expect(batches.listCards(1)).toEqual([
      { card: 0, row: 0, slot: 1, state: 'delivered', hash: 'h' },
      { card: 1, row: 0, slot: 3, state: 'wanted' },
      { card: 2, row: 0, slot: 2, state: 'wanted' },
      { card: 3, row: 1, slot: 4, state: 'wanted' },
    ])
    expect([countCards(), listSlots(), batches.getBatch(1)?.lastSlot]).toEqual([
      [3, 1, 0, 0],
      [1, 3, 2, 4],
      4,
    ])
  })

  test('does nothing if no card has failed', () => {
    const { batches, listSlots } = openSavedBatch()
    expect(batches.retryFailed(1, groupBySku)).toBe(0)
    expect(listSlots()).toEqual([1, 1, 2, 2])
  })
})

describe('cancelWanted', () => {
  test('gives up the wanted cards', () => {
    const { batches, countCards } = openSavedBatch()
    batches.settleSlot(1, 1, () => [{ card: 0, state: 'delivered', hash: 'h' }])
    batches.cancelBatch(1, at)
    batches.cancelWanted(1)
    expect(countCards()).toEqual([0, 1, 0, 3])
  })

  test('keeps the cards that a confirmed order, or one with an unproven confirm, may deliver', () => {
    const { batches, place, confirm, journal, countCards } = openSavedBatch()
    place(1, 'a')
    place(2, 'b')
    journal.endConfirm(confirm('a'), { outcome: 'done' }, at)
    confirm('b')
    batches.cancelBatch(1, at)
    batches.cancelWanted(1)
    expect(countCards()).toEqual([4, 0, 0, 0])
  })

  test('gives up the cards of an order that was not confirmed, because it cannot be confirmed any more', () => {
    const { batches, place, beginConfirm, countCards } = openSavedBatch()
    place(1, 'a')
    batches.cancelBatch(1, at)
    batches.cancelWanted(1)
    expect(beginConfirm('a')).toEqual({ kind: 'cancelled' })
    expect(countCards()).toEqual([0, 0, 0, 4])
  })

  test('does nothing if the batch is not cancelled', () => {
    const { batches, countCards } = openSavedBatch()
    batches.cancelWanted(1)
    expect(countCards()).toEqual([4, 0, 0, 0])
  })
})

describe('the counts of a batch', () => {
  test('are those of its own rows, cards and orders', () => {
    const { batches, save, place, confirm, journal } = openSavedBatch()
    save({ name: 'other', rows: [createRow('RIDE', 9)], slotOf: () => 1 })
    expect([batches.countRows(1), batches.countRows(2), batches.countOrders(1)]).toEqual([2, 1, 2])
    expect(batches.countCards(2)).toEqual({ wanted: 9, delivered: 0, failed: 0, cancelled: 0 })
    place(1, 'a')
    journal.endConfirm(confirm('a'), { outcome: 'done' }, at)
    batches.settleSlot(1, 1, (cards) => cards.map(({ card }) => ({ card, state: 'failed', error: 'failed' })))
    // The failed order was bought, and its cards are not wanted again.
    expect(batches.countOrders(1)).toBe(2)
    batches.retryFailed(1, groupBySku)
    expect(batches.countOrders(1)).toBe(3)
  })

  test('count a wanted card as unproven only while its confirm is', () => {
    const { batches, place, confirm, journal } = openSavedBatch()
    place(2, 'b')
    expect(batches.countUnknown(1)).toBe(0)
    const call = confirm('b')
    expect(batches.countUnknown(1)).toBe(2)
    journal.endConfirm(call, { outcome: 'refused', status: 400 }, at)
    expect(batches.countUnknown(1)).toBe(0)
    const entry = journal.getOrder(call.order)
    if (entry !== undefined) journal.recordExpiry(entry, journal.listCalls(call.order).slice(1), at)
    expect(batches.countUnknown(1)).toBe(0)
  })
})
