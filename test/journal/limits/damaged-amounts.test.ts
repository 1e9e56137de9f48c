// What counts against limits in both databases: an amount that is damaged, missing or too large exceeds every limit.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatMillionths, tooLarge } from '../../../src/contract/money/millionths.ts'
import { addCommitted, sumCommitted } from '../../../src/journal/limits/committed.ts'
import { setLimit } from '../../../src/journal/limits/limits.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { everyJournalKind } from '../journals.ts'
import { confirmIntent, createOrderDesk, owner, update } from '../order-desk.ts'

const { account } = owner
const reference = (orderId: string) => ({ reference: orderId })
const largest = formatMillionths(tooLarge - 1n)

describe.each(everyJournalKind)('on $name', (kind) => {
  const openShared = async () => {
    const shared = await kind.openShared()
    onTestFinished(shared.close)
    return shared
  }

  const openBudget = async (amount: string) => {
    const { journal, query, damage } = await openShared()
    await setLimit(journal, account, { kind: 'day', currency: 'USD', amount })
    const desk = createOrderDesk(journal)
    const begin = (orderId: string, total: string, fields = {}) =>
      journal.calls.beginConfirm(confirmIntent(orderId, { ...reference(orderId), total, ...fields }))
    return { ...desk, query, damage, begin }
  }

  /** The first order, of 750, may be confirmed. */
  const openCap = async (cap: string) => {
    const { journal, query, damage } = await openShared()
    const desk = createBatchDesk(journal)
    await desk.save()
    await desk.allow('1000')
    await desk.place(1, 'a', { total: '750' })
    await desk.place(2, 'b', { total: '1' })
    await desk.confirm('a', { total: '750' })
    await desk.allow(cap)
    const begin = () => desk.beginConfirm('b', { total: '1' })
    return { ...desk, query, damage, begin }
  }
  type Damage = (journal: Awaited<ReturnType<typeof openCap>>) => Promise<unknown>

  test.each<[string, Damage]>([
    ['total', ({ damage }) => damage('orders', 'total', 'much', "order_id = 'a'")],
    ['standing', ({ damage }) => damage('orders', 'standing', 'lost', "order_id = 'a'")],
    ['amount', ({ damage }) => damage('orders', 'counts', '-5', "order_id = 'a'")],
    ['missing amount', ({ query }) => query("UPDATE orders SET counts = NULL WHERE order_id = 'a'")],
  ])('750 spent with a damaged %s exceed a cap of 400', async (_title, destroy) => {
    const desk = await openCap('400')
    await destroy(desk)
    expect((await desk.begin()).kind).toBe('over-cap')
  })

  test.each<[string, Damage]>([
    ['damaged', ({ damage }) => damage('orders', 'counts', '-5', "order_id = 'a'")],
    ['missing', ({ query }) => query("UPDATE orders SET counts = NULL WHERE order_id = 'a'")],
  ])('a %s amount exceeds every cap and every budget', async (_title, destroy) => {
    const desk = await openCap('1000')
    await setLimit(desk.journal, account, { kind: 'day', currency: 'USD', amount: largest })
    await destroy(desk)
    expect(await desk.begin()).toMatchObject({ kind: 'over-cap', use: { committed: { isDamaged: true } } })
    const single = confirmIntent('c', { ...reference('c'), total: '0' })
    expect(await desk.journal.calls.beginConfirm(single)).toMatchObject({
      ...{ kind: 'over-budget', use: { spent: { isDamaged: true } } },
    })
  })

  test('a damaged amount is reported, and the next response replaces it', async () => {
    const { placed, toConfirm, endConfirm, query, findOrder, recordOrder } = await openBudget('100')
    await placed('a', reference('a'))
    await endConfirm(await toConfirm('a', reference('a')), { outcome: 'done' }, 3_000)
    await query('UPDATE orders SET counts = NULL')
    const entry = await findOrder(owner, 'a')
    await recordOrder(entry?.number ?? 0, update('successful', { total: '25', at: 4_000 }))
    expect(await query('SELECT total, counts FROM orders')).toEqual([{ total: '25', counts: 25_000_000n }])
  })

  test('a damaged total is read again', async () => {
    const { placed, toConfirm, endConfirm, query, damage, findOrder, recordOrder } = await openBudget('100')
    await placed('a', reference('a'))
    await endConfirm(await toConfirm('a', reference('a')), { outcome: 'done' }, 3_000)
    await damage('orders', 'total', 'much')
    const entry = await findOrder(owner, 'a')
    await recordOrder(entry?.number ?? 0, update('successful', { total: '30', at: 4_000 }))
    expect(await query('SELECT total, counts FROM orders')).toEqual([{ total: '30', counts: 30_000_000n }])
  })

  test('a sum of more than 64 bits exceeds the budget, and fails nothing', async () => {
    const { begin, query } = await openBudget(largest)
    expect((await begin('a', largest)).kind).toBe('started')
    expect((await begin('b', '0')).kind).toBe('started')
    await query('UPDATE orders SET counts = $counts', { counts: 2n ** 63n - 1n })
    expect(await begin('c', '1')).toMatchObject({
      ...{ kind: 'over-budget', use: { spent: { orders: 2, millionths: 2n ** 64n - 2n } } },
    })
  })

  test('an amount is rounded up to a millionth', async () => {
    const { begin } = await openBudget('0.000002')
    expect((await begin('a', '0.0000001')).kind).toBe('started')
    expect((await begin('b', '0.0000011')).kind).toBe('over-budget')
    expect((await begin('c', '0.000001')).kind).toBe('started')
    expect((await begin('d', '0.0000001')).kind).toBe('over-budget')
  })

  test('what an order counts as never falls while its wallet is the same', async () => {
    const { begin, placed, endConfirm, query } = await openBudget('1000')
    const readCounts = async () => (await query('SELECT counts FROM orders')).map(({ counts }) => counts)
    await placed('a', reference('a'))
    const accepted = { accepted: '[]' }
    const first = await begin('a', '40', accepted)
    expect(await readCounts()).toEqual([40_000_000n])
    if (first.kind !== 'started') throw new Error(first.kind)
    await endConfirm(first, { outcome: 'refused', status: 400 }, 3_000)
    // The first confirm may still take effect, at its higher total.
    await query("UPDATE limits SET amount = '39'")
    expect((await begin('a', '10', accepted)).kind).toBe('over-budget')
    expect((await begin('a', '10', { ...accepted, wallet: 'EUR' })).kind).toBe('started')
    expect(await readCounts()).toEqual([10_000_000n])
  })
})

// The type of a value is in the row, where a bad disk may change it. PostgreSQL keeps no types in its rows.
test.each(['much', '', new Uint8Array(2), -5, null, 1e30])('in SQLite, %j is damaged', (value) => {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE orders (counts)')
  const insert = database.prepare('INSERT INTO orders VALUES (?)')
  insert.run(750)
  insert.run(value)
  const row = database.prepare(`SELECT ${sumCommitted} AS sums FROM orders`).get()
  expect(addCommitted([row?.sums])).toMatchObject({ orders: 2, isDamaged: true })
})
