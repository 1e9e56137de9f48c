// The table of received deliveries. Old ones are deleted in pages, except those that are still needed.
import { describe, expect, test } from 'vitest'
import {
  createReceivedTable,
  firstPosition,
  type NewDelivery,
  type Position,
} from '../../src/journal/received.ts'
import { journalKinds } from './journals.ts'
import { createOrderDesk, owner } from './order-desk.ts'

const account = { address: 'shop.example' }
const other = { address: 'other.example' }

const createDelivery = (receipt: string, fields: Partial<NewDelivery> = {}): NewDelivery => ({
  ...{ receipt, key: `id ${receipt}`, deliveryId: receipt, orderId: 'ord_1', at: 1_000 },
  ...fields,
})

describe.each(journalKinds)('$name', ({ open }) => {
  const openTable = async () => {
    const { journal, close } = await open()
    const received = createReceivedTable(journal)
    await received.prepare(account, 50)
    return { journal, received, [Symbol.asyncDispose]: close }
  }

  test('records a delivery once', async () => {
    await using opened = await openTable()
    const { received } = opened
    const first = await received.recordDelivery(account, createDelivery('a'))
    expect([first.receipt, first.isChecked]).toEqual(['a', false])
    expect(await received.recordDelivery(account, createDelivery('b', { key: 'id a' }))).toEqual(first)
    expect(await received.recordDelivery(other, createDelivery('c', { key: 'id a' }))).not.toEqual(first)
    await received.recordChecked(account, { orderId: 'ord_1', state: 'failed' }, first.number)
    const again = await received.recordDelivery(account, createDelivery('d', { key: 'id a' }))
    expect(again).toEqual({ ...first, isChecked: true, state: 'failed' })
    const { number, receipt } = first
    expect(await received.listReceived(account, 0)).toEqual([
      { number, receipt, deliveryId: 'a', orderId: 'ord_1', at: 1_000 },
    ])
  })

  test('records the same receipt again if the outcome was unknown', async () => {
    await using opened = await openTable()
    const { received } = opened
    for (const key of ['id a', undefined]) {
      const delivery = createDelivery(`receipt of ${key}`, { key })
      const first = await received.recordDelivery(account, delivery)
      expect(await received.recordDelivery(account, delivery)).toEqual(first)
    }
    expect(await received.listReceived(account, 0)).toHaveLength(2)
  })

  test('records each delivery that has no key', async () => {
    await using opened = await openTable()
    const { received } = opened
    for (const receipt of ['a', 'b', 'c'])
      await received.recordDelivery(account, createDelivery(receipt, { key: undefined }))
    expect(await received.listReceived(account, 0)).toHaveLength(3)
  })

  test('records one of many equal deliveries that arrive at once', async () => {
    await using opened = await openTable()
    const { received, journal } = opened
    journal.groupWrites()
    await received.recordDelivery(account, createDelivery('x'))
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        received.recordDelivery(account, createDelivery(`r${index}`, { key: 'id same' })),
      ),
    )
    expect(new Set(all.map(({ receipt }) => receipt)).size).toBe(1)
  })

  test('lists the deliveries to check, and those to replay', async () => {
    await using opened = await openTable()
    const { received } = opened
    const [one, two, three] = await Promise.all([
      received.recordDelivery(account, createDelivery('a', { at: 1_000 })),
      received.recordDelivery(account, createDelivery('b', { at: 2_000, orderId: 'ord_2' })),
      received.recordDelivery(account, createDelivery('c', { at: 3_000, deliveryId: undefined })),
    ])
    const unchecked = async () => (await received.listUnchecked(account, 10)).map(({ receipt }) => receipt)
    expect((await unchecked()).sort()).toEqual(['a', 'b', 'c'])
    await received.recordChecked(account, { orderId: 'ord_2', state: undefined }, two?.number ?? 0)
    expect((await unchecked()).sort()).toEqual(['a', 'c'])
    // A later delivery of the same order needs a check of its own.
    const first = Math.min(one?.number ?? 0, three?.number ?? 0)
    expect(await received.recordChecked(account, { orderId: 'ord_1', state: 'failed' }, first)).toBe(1)
    expect(await received.recordChecked(other, { orderId: 'ord_1', state: 'failed' }, 99)).toBe(0)
    expect(await unchecked()).toHaveLength(1)
    const replayable = await received.listReceived(account, 1_000)
    expect(replayable.map(({ orderId }) => orderId)).toEqual(['ord_1', 'ord_1'])
    expect((await received.listReceived(account, 3_000)).map(({ receipt }) => receipt)).toEqual(['c'])
  })

  test('lists the deliveries of orders of the journal first, so that no flood hides them', async () => {
    await using opened = await openTable()
    const { received } = opened
    const { placed } = createOrderDesk(opened.journal)
    await placed('ord_own')
    for (const name of ['a', 'b', 'c'])
      await received.recordDelivery(owner.account, createDelivery(name, { orderId: `ord_${name}` }))
    await received.recordDelivery(owner.account, createDelivery('d', { orderId: 'ord_own' }))
    const found = await received.listUnchecked(owner.account, 2)
    expect(found.map(({ orderId, isOwn }) => [orderId, isOwn])).toEqual([
      ['ord_own', true],
      ['ord_a', false],
    ])
    const ids = Array.from({ length: 200 }, (_, index) => `x${index}`)
    expect(await received.findOwnIds(owner.account, [...ids, 'ord_own'])).toEqual(['ord_own'])
  })

  test('finds the orders of the journal', async () => {
    await using opened = await openTable()
    const { received } = opened
    expect(await received.findOwnIds(account, [])).toEqual([])
    expect(await received.findOwnIds(account, ['ord_1', "x' OR 1=1 --"])).toEqual([])
  })
})

describe.each(journalKinds)('on $name, clean-up', ({ open }) => {
  const openTables = async () => {
    const { journal, close } = await open()
    const received = createReceivedTable(journal)
    const record = async (receipt: string, at: number, of = account) => {
      const delivery = { receipt, key: `id ${receipt}`, deliveryId: receipt, orderId: `ord_${receipt}`, at }
      return await received.recordDelivery(of, delivery)
    }
    const check = (receipt: string, state: string | undefined, of = account) =>
      received.recordChecked(of, { orderId: `ord_${receipt}`, state }, 1_000)
    const listReceipts = async (of = account) =>
      (await received.listReceived(of, 0)).map(({ receipt }) => receipt)
    /** Returns the number of pages. */
    const deleteAll = async (before: number, limit: number, waiting: readonly string[] = []) => {
      let after: Position | undefined = firstPosition
      let pages = 0
      for (; after !== undefined && pages < 20; pages += 1)
        after = await received.deletePage(account, {
          ...{ before, after, limit },
          isWaiting: (receipt) => waiting.includes(receipt),
        })
      return pages
    }
    return { ...{ record, check, listReceipts, deleteAll }, [Symbol.asyncDispose]: close }
  }

  test('deletes what was received before a time, and nothing of another account', async () => {
    await using opened = await openTables()
    const { record, check, listReceipts, deleteAll } = opened
    await record('a', 1_000)
    await record('b', 1_999)
    await record('c', 2_000)
    await record('d', 1_000, other)
    for (const receipt of ['a', 'b', 'c']) await check(receipt, 'successful')
    await check('d', 'successful', other)
    expect(await deleteAll(2_000, 10)).toBe(1)
    expect([await listReceipts(), await listReceipts(other)]).toEqual([['c'], ['d']])
  })

  test('keeps what waits for a check or to be forwarded, and passes over it', async () => {
    await using opened = await openTables()
    const { record, check, listReceipts, deleteAll } = opened
    // At the same time, so that only their numbers tell them apart.
    for (const receipt of ['a', 'b', 'c', 'd', 'e', 'f']) await record(receipt, 1_000)
    for (const receipt of ['b', 'c', 'e', 'f']) await check(receipt, 'successful')
    await check('d', undefined)
    expect(await deleteAll(2_000, 1, ['b', 'e'])).toBe(7)
    expect(await listReceipts()).toEqual(['a', 'b', 'e'])
  })

  test('treats a delivery that is received again after that as a new one', async () => {
    await using opened = await openTables()
    const { record, check, deleteAll } = opened
    await record('a', 1_000)
    await check('a', 'successful')
    const first = await record('a', 2_000)
    await deleteAll(1_001, 10)
    const again = await record('a', 3_000)
    expect([first.state, again.state, again.number > first.number]).toEqual(['successful', undefined, true])
  })
})
