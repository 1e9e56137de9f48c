// The sums of charged orders, on both databases: exact whatever the amounts are, and by every key.

import { describe, expect, onTestFinished, test } from 'vitest'
import { formatDecimal } from '../../../src/contract/money/decimal.ts'
import { type ReportKey, reportKeys } from '../../../src/contract/report/report.ts'
import { readChargeGroups } from '../../../src/journal/charge-groups.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { buildReport } from '../../../src/operations/build-report.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { journalKinds } from '../journals.ts'
import { createOrderDesk, done, update } from '../order-desk.ts'

type Bought = {
  readonly total: string
  readonly reference?: string
  readonly wallet?: string
  readonly charged?: string
  /** By the service's clock. */
  readonly createdAt?: number
  readonly expiresAt?: number
}

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const { journal, damage, close } = await kind.openShared()
    onTestFinished(close)
    const desk = createOrderDesk(journal)
    let count = 0
    const buy = async (
      { total, reference, wallet = 'USD', charged, ...more }: Bought,
      outcome: 'done' | 'unknown' = 'done',
    ) => {
      count += 1
      const id = `o${count}`
      const named = { reference: reference ?? `r${count}`, wallet }
      const begun = await desk.begin(named)
      const created = { createdAt: Date.now() - 1_000, expiresAt: Date.now() + 600_000 }
      await desk.endCreate(
        begun,
        { ...done(id), total, ...created, ...more } as ReturnType<typeof done>,
        1_100,
      )
      await desk.confirmed(id, { outcome })
      if (charged !== undefined)
        await desk.recordOrder(begun.order, update('successful', { total: charged, at: 9 }))
      return begun.order
    }
    const all = { from: 0, until: Date.now() + 60_000 }
    const report = async (by: ReportKey[] = ['wallet'], span = all) =>
      buildReport(await readChargeGroups(journal.read, { by, ...span }), { by, ...span })
    const total = async (currency = 'USD') => {
      const figures = (await report()).totals.get(currency)
      return figures && [figures.orders, formatDecimal(figures.charged)]
    }
    return { ...desk, journal, buy, report, total, damage }
  }

  test.each<[string[], string]>([
    [['25', '0.5', '12.34', '0.001', '0.0001'], '37.8411'],
    [['0.1', '0.2'], '0.3'],
    [['99999999999', '99999999999'], '199999999998'],
    [['9999999.9999', '0.0001'], '10000000'],
    [['0.00000001', '1', '0.00000001'], '1.00000002'],
    [['123456789012345678901234567890.5', '0.5'], '123456789012345678901234567891'],
    [['0', '0'], '0'],
    [['4503599627.3', '4503599627.7', '0.05'], '9007199255.05'],
  ])('%j are added exactly', async (amounts, sum) => {
    const { buy, total } = await open()
    for (const amount of amounts) await buy({ total: amount })
    expect(await total()).toEqual([amounts.length, sum])
  })

  test('the last invoice counts, not the first', async () => {
    const { buy, total } = await open()
    await buy({ total: '25', charged: '24.5' })
    expect(await total()).toEqual([1, '24.5'])
  })

  test('currencies are never added', async () => {
    const { buy, total } = await open()
    await buy({ total: '25' })
    await buy({ total: '25', wallet: 'EUR' })
    expect(await total('USD')).toEqual([1, '25'])
    expect(await total('EUR')).toEqual([1, '25'])
  })

  test('an order counts only if its confirm was sent', async () => {
    const { buy, placed, confirmed, report } = await open()
    await placed('x1', { reference: 'created' })
    await placed('x2', { reference: 'refused' })
    await confirmed('x2', { outcome: 'refused', status: 400 })
    expect((await report()).rows).toEqual([])
    await buy({ total: '7' }, 'unknown')
    const [row] = (await report()).rows
    expect(row).toMatchObject({ orders: 0, unknown: { orders: 1 } })
    expect([row?.charged.toFixed(), row?.unknown.charged.toFixed()]).toEqual(['0', '7'])
  })

  test('an order whose amount cannot be read is left out, and hides no other', async () => {
    const { buy, journal, report, total, damage } = await open()
    await buy({ total: '25' })
    const damaged = await buy({ total: '1' })
    await buy({ total: '3' })
    await damage('orders', 'total', 'free', `number = ${damaged}`)
    expect((await report()).unpriced).toBe(0)
    expect(await total()).toEqual([2, '28'])
    expect(await listOrders(journal.read, { limit: 9 })).toHaveLength(3)
  })

  test('every key has its values', async () => {
    const { journal, buy, report } = await open()
    const { save, place, confirm } = createBatchDesk(journal)
    await save()
    await place(1, 'of-the-batch')
    await confirm('of-the-batch')
    await buy({ total: '5', reference: 'Größe ☕ 2026/11' })
    await buy({ total: '4', reference: '17' })
    const keysOf = async (key: ReportKey) => (await report([key])).rows.map(({ keys }) => keys[0]).toSorted()
    const today = new Date().toISOString().slice(0, 10)
    // The order of the batch was confirmed long after it expired, so the clock was wrong.
    expect(await keysOf('day')).toEqual(['1970-01-01', today])
    expect(await keysOf('month')).toEqual(['1970-01', today.slice(0, 7)])
    expect(await keysOf('column: NAME')).toEqual(['(none)', 'Ada'])
    expect(await keysOf('reference')).toEqual(['17', 'Größe ☕ 2026/11', 'gifts-1-1'])
    expect(await keysOf('order')).toEqual(['o1', 'o2', 'of-the-batch'])
    expect(await keysOf('state')).toEqual(['open', 'unknown'])
    expect(await keysOf('wallet')).toEqual(['USD'])
    expect(await keysOf('person')).toEqual([
      kind.name === 'SQLite' ? 'tester' : expect.stringMatching(/_ana$/),
    ])
    expect(await keysOf('batch')).toEqual(['(no batch)', expect.not.stringContaining('(')])
    expect((await report([...reportKeys])).rows).toHaveLength(3)
  })

  test('an order counts on the day of the service if the clock of the machine was wrong', async () => {
    const { buy, report } = await open()
    const day = (at: string) => ({ createdAt: Date.parse(at), expiresAt: Date.parse(at) + 600_000 })
    await buy({ total: '1', ...day('2031-05-05T12:00Z') })
    await buy({ total: '2', ...day('2019-01-31T23:59Z') })
    await buy({ total: '4' })
    const span = { from: 0, until: Number.MAX_SAFE_INTEGER }
    const today = new Date().toISOString().slice(0, 10)
    expect((await report(['day'], span)).rows.map(({ keys }) => keys[0])).toEqual([
      ...['2019-01-31', today, '2031-05-05'],
    ])
    const january = { from: Date.UTC(2019, 0), until: Date.UTC(2019, 1) }
    expect((await report(['month'], january)).rows.map(({ charged }) => charged.toFixed())).toEqual(['2'])
  })

  test('the amounts of products that are not known are shown apart', async () => {
    const { begin, endCreate, confirmed, report } = await open()
    const lines = [
      { sku: 'A', productType: 'fixed', quote: 1, quantity: 2 },
      { sku: 'B', productType: 'fixed', quote: 1, quantity: 3 },
    ]
    const begun = await begin({ request: JSON.stringify({ productList: lines }) })
    const products = '[["A","fixed","1",2,null,"10.5"],["B","fixed","1",3,null,null]]'
    await endCreate(begun, { ...done(), total: '25', products } as ReturnType<typeof done>, 1_100)
    await confirmed('o1', { outcome: 'done' })
    const { rows } = await report(['product'])
    expect(rows.map(({ keys, cards, charged }) => [keys[0], cards, charged.toFixed()])).toEqual([
      ['(unknown)', 0, '14.5'],
      ['A', 2, '10.5'],
      ['B', 3, '0'],
    ])
  })
})
