// The order of a slot is the claim: which slots a run may work on, who takes over an order, and who buys now.
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  findOpenSlots,
  hasSlotsLeft,
  holdOrder,
  listBuyers,
  releaseOrders,
  type Wanted,
} from '../../../src/journal/batches/claims.ts'
import { everyJournalKind, type JournalKind } from '../journals.ts'
import { createBatchDesk, createRow } from './batch-desk.ts'

/** A batch with one card in each of four slots, and two runs on separate connections. */
const openOn = async (kind: JournalKind) => {
  const shared = await kind.openShared()
  onTestFinished(shared.close)
  const second = await kind.openAt(shared.address)
  onTestFinished(second.close)
  const desk = createBatchDesk(shared.journal)
  const other = createBatchDesk(second)
  await desk.save({ rows: [createRow('GAME-US', 4)], lastSlot: 4, slotOf: (card) => card + 1 })
  const { read, write } = shared.journal
  const claims = {
    find: (leaves: Wanted['leaves'], more: Partial<Wanted> = {}) =>
      findOpenSlots(read, 1, { count: 9, leaves, ...more }),
    hasLeft: (except: readonly number[]) => hasSlotsLeft(read, 1, except),
    hold: (order: number) => write((access) => holdOrder(access, order, 60_000)),
    release: (orders: readonly number[]) => write((access) => releaseOrders(access, orders)),
    listBuyers: () => listBuyers(read, 1),
  }
  /** Moves a time into the past instead of waiting. */
  const expire = () => shared.query('UPDATE orders SET held_until = 1')
  return { ...desk, ...claims, query: shared.query, other, expire }
}

describe.each(everyJournalKind)('on $name', (kind) => {
  test('a slot is open until a run inserts an order for it', async () => {
    const { find, start, place, hasLeft } = await openOn(kind)
    expect(await find('all')).toEqual([1, 2, 3, 4])
    expect(await find('all', { count: 2, from: 2, except: [3] })).toEqual([2, 4])
    await start(1)
    await place(2, 'b')
    expect(await find('all')).toEqual([3, 4])
    expect([await hasLeft([3, 4]), await hasLeft([1, 2, 3, 4])]).toEqual([true, false])
  })

  test('of two runs that want a slot at once, one inserts its order', async () => {
    const { beginCreate, other, batches } = await openOn(kind)
    for (const slot of [1, 2, 3, 4]) {
      const begun = await Promise.all([
        beginCreate(slot, { reference: `one-${slot}` }),
        other.beginCreate(slot),
      ])
      expect(begun.map((each) => each.kind).toSorted()).toEqual(['slot-taken', 'started'])
      expect(await batches.listSlotOrders(1, slot)).toHaveLength(1)
    }
  })

  test('an order can be taken over once its time is over, by one run', async () => {
    const { find, place, hold, expire } = await openOn(kind)
    const { order } = await place(1, 'a')
    expect(await hold(order)).toBe(false)
    await expire()
    expect(await find('all')).toEqual([1, 2, 3, 4])
    expect([await hold(order), await hold(order)]).toEqual([true, false])
    expect(await find('all')).toEqual([2, 3, 4])
  })

  test('an order that is held for longer than any run does is free: the clock was set back', async () => {
    const { find, place, hold, query } = await openOn(kind)
    const { order } = await place(1, 'a')
    await query('UPDATE orders SET held_until = held_until + 7200000')
    expect([await find('all'), await hold(order)]).toEqual([[1, 2, 3, 4], true])
  })

  test('a run that ends releases its orders', async () => {
    const { find, place, release } = await openOn(kind)
    await place(1, 'a')
    const { order } = await place(2, 'b')
    await release([order])
    expect(await find('all')).toEqual([2, 3, 4])
  })

  test('a confirmed order whose cards are wanted belongs to its run, until the caller asks for it', async () => {
    const { find, place, confirm, journal, expire, batches } = await openOn(kind)
    await place(1, 'a')
    await journal.calls.endConfirm(await confirm('a'), { outcome: 'done' }, 5_000)
    const findAll = async () => [await find('all'), await find('held'), await find('none')]
    const [others, all] = [
      [2, 3, 4],
      [1, 2, 3, 4],
    ]
    expect(await findAll()).toEqual([others, others, all])
    await expire()
    expect(await findAll()).toEqual([others, all, all])
    await batches.changeSlotCards(1, 1, () => [{ card: 0, state: 'delivered', hash: 'h' }])
    expect(await findAll()).toEqual([others, others, others])
  })

  test('those who buy are listed with their orders that are not finished', async () => {
    const { listBuyers, place, start, confirm, journal, expire, batches } = await openOn(kind)
    expect(await listBuyers()).toEqual([])
    await place(1, 'a')
    await journal.calls.endConfirm(await confirm('a'), { outcome: 'done' }, 5_000)
    await start(2)
    const [buyer, ...others] = await listBuyers()
    expect([buyer, others]).toMatchObject([{ buying: 1, waiting: 1, seenAt: 5_000 }, []])
    expect(buyer?.until).toBeGreaterThan(Date.now())
    await expire()
    await batches.changeSlotCards(1, 1, () => [{ card: 0, state: 'delivered', hash: 'h' }])
    expect(await listBuyers()).toEqual([
      { by: buyer?.by, buying: 1, waiting: 0, seenAt: 1_000, until: undefined },
    ])
  })
})
