// The table of received deliveries.
import { describe, expect, test } from 'vitest'
import { createReceivedTable, type NewDelivery } from '../../../src/journal/received/received.ts'
import { journalKinds } from '../journals.ts'
import { createOrderDesk, owner } from '../order-desk.ts'

const account = { address: 'shop.example' }
const other = { address: 'other.example' }

const createDelivery = (receipt: string, fields: Partial<NewDelivery> = {}): NewDelivery => ({
  ...{ receipt, key: `id ${receipt}`, deliveryId: receipt, orderId: 'ord_1', at: 1_000 },
  ...fields,
})

describe.each(journalKinds)('$name', ({ open }) => {
  const openTable = async () => {
    const { journal, close } = await open()
    const received = journal.openTables(createReceivedTable)
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
