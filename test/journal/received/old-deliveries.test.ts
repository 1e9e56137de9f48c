// Old deliveries are deleted in pages, except those that are still needed.
import { describe, expect, test } from 'vitest'
import {
  createOldDeliveryTable,
  firstPosition,
  type Position,
} from '../../../src/journal/received/old-deliveries.ts'
import { createReceivedTable } from '../../../src/journal/received/received.ts'
import { journalKinds } from '../journals.ts'

const account = { address: 'shop.example' }
const other = { address: 'other.example' }

describe.each(journalKinds)('$name', ({ open }) => {
  const openTables = async () => {
    const { journal, close } = await open()
    const received = journal.openTables(createReceivedTable)
    const old = journal.openTables(createOldDeliveryTable)
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
        after = await old.deletePage(account, {
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
