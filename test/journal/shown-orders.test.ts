// What the journal shows of the orders that a process waits for.
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatProducts } from '../../src/contract/ordered-products.ts'
import { listShownOrders } from '../../src/journal/orders/list-orders.ts'
import { bindTo, journalKinds } from './journals.ts'
import { accountAt, createOrderDesk, owner } from './order-desk.ts'

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const shared = await kind.openShared()
    onTestFinished(shared.close)
    const desk = createOrderDesk(shared.journal)
    return {
      ...desk,
      list: bindTo(shared.journal, { listShownOrders }).listShownOrders,
    }
  }

  test('several orders, without those that it does not have', async () => {
    const { placed, confirmed, note, list } = await open()
    await placed('o1', { reference: 'one' })
    await placed('o2', { reference: 'two' })
    await confirmed('o2', { outcome: 'done' })
    await note('o2', 'processing', 3_000)
    const shown = await list(owner.account, ['o1', 'o2', 'o3'])
    expect(shown.toSorted((a, b) => a.orderId.localeCompare(b.orderId))).toEqual([
      { orderId: 'o1', reference: 'one', state: 'created' },
      { orderId: 'o2', reference: 'two', state: 'processing' },
    ])
    expect(await list(owner.account, [])).toEqual([])
  })

  test('more orders than one statement has parameters', async () => {
    const { placed, list } = await open()
    await placed('o1')
    const ids = Array.from({ length: 450 }, (_, index) => `x${index}`)
    expect(await list(owner.account, [...ids, 'o1'])).toMatchObject([{ orderId: 'o1' }])
  })

  test('of one account, and the newest of several with the same id', async () => {
    const { placed, list } = await open()
    await placed('o1', { ...accountAt('https://elsewhere.example'), reference: 'elsewhere' })
    expect(await list(owner.account, ['o1'])).toEqual([])
    await placed('o1', { reference: 'old' })
    await placed('o1', { reference: 'new' })
    expect(await list(owner.account, ['o1'])).toMatchObject([{ reference: 'new' }])
  })

  test('the number of delivered cards', async () => {
    const { placed, confirmed, findOrder, recordOrder, list } = await open()
    await placed('o1')
    await confirmed('o1', { outcome: 'done' })
    const entry = await findOrder(owner, 'o1')
    if (entry === undefined) throw new Error('no order')
    const products = formatProducts([
      { sku: 'A', productType: 'fixed', quote: '25', ordered: 3, delivered: 2 },
    ])
    await recordOrder(entry.number, { state: 'partial', products, at: 3_000 })
    expect(await list(owner.account, ['o1'])).toMatchObject([{ state: 'partial', delivered: 2 }])
  })
})
