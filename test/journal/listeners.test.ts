// What the journal shows of the orders that a process waits for, and which listeners are alive.
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatProducts } from '../../src/contract/ordered-products.ts'
import { createListenerTable, listShownOrders } from '../../src/journal/listeners.ts'
import { bindTo, journalKinds } from './journals.ts'
import { accountAt, createOrderDesk, owner } from './order-desk.ts'

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const shared = await kind.openShared()
    onTestFinished(shared.close)
    const desk = createOrderDesk(shared.journal)
    const { beat, end } = createListenerTable(shared.journal)
    return {
      ...desk,
      beat,
      end,
      query: shared.query,
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
      { orderId: 'o1', reference: 'one', state: 'created', isPushed: false },
      { orderId: 'o2', reference: 'two', state: 'processing', isPushed: false },
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

  test('an order is pushed if a listener has received it, and one is alive', async () => {
    const { placed, list, beat, end, query } = await open()
    await placed('o1')
    await query(
      `INSERT INTO received (account, receipt, order_id, received_at)
       SELECT account, 'receipt', order_id, 1000 FROM orders`,
    )
    await placed('o2', { reference: 'other' })
    await beat(owner.account, 7)
    const shown = await list(owner.account, ['o1', 'o2'])
    expect(new Map(shown.map(({ orderId, isPushed }) => [orderId, isPushed]))).toEqual(
      new Map([
        ['o1', true],
        ['o2', false],
      ]),
    )
    await end(owner.account, 7)
    expect(await list(owner.account, ['o1'])).toMatchObject([{ isPushed: false }])
  })
})

describe.each(journalKinds)('on $name, an order that a listener has received is pushed', (kind) => {
  const open = async () => {
    const shared = await kind.openShared()
    onTestFinished(shared.close)
    const second = await kind.openAt(shared.address, () => ({ osUser: 'tester', host: 'other' }))
    onTestFinished(second.close)
    const here = createListenerTable(shared.journal)
    const there = createListenerTable(second)
    await createOrderDesk(shared.journal).placed('o1')
    await shared.query(
      `INSERT INTO received (account, receipt, order_id, received_at)
       SELECT account, 'receipt', order_id, 1000 FROM orders`,
    )
    /** Moves the times instead of waiting. */
    const age = (ms: number) => shared.query('UPDATE listeners SET seen_at = seen_at - $ms', { ms })
    const isListening = async (account = owner.account) =>
      (await listShownOrders(second, account, ['o1']))[0]?.isPushed
    const count = async () => (await shared.query('SELECT 1 FROM listeners')).length
    return { here, there, age, isListening, count }
  }

  test('while one is alive', async () => {
    const { here, there, isListening } = await open()
    expect(await isListening()).toBe(false)
    await here.beat(owner.account, 7)
    await here.beat(owner.account, 7)
    await there.beat(owner.account, 7)
    await here.beat(owner.account, 8)
    expect(await isListening()).toBe(true)
    await here.end(owner.account, 7)
    await here.end(owner.account, 8)
    expect(await isListening()).toBe(true)
    await there.end(owner.account, 7)
    expect(await isListening()).toBe(false)
  })

  test('but not if the listener is of another account', async () => {
    const { here, isListening } = await open()
    await here.beat(accountAt('https://elsewhere.example').account, 7)
    await here.end(accountAt('https://nowhere.example').account, 7)
    expect(await isListening()).toBe(false)
  })

  test('also if the listener may be of the same account', async () => {
    const { here, isListening } = await open()
    const [one, other] = ['one', 'other'].map((name) => ({ ...owner.account, name }))
    await here.beat(one ?? owner.account, 7)
    expect(await isListening(owner.account)).toBe(true)
    expect(await isListening(other ?? owner.account)).toBe(false)
  })

  test('until 30 s after the listener stopped without an end, and then its row is deleted', async () => {
    const { here, there, age, isListening, count } = await open()
    await here.beat(owner.account, 7)
    await age(25_000)
    expect(await isListening()).toBe(true)
    await age(6_000)
    expect(await isListening()).toBe(false)
    await there.beat(owner.account, 9)
    expect(await count()).toBe(1)
    await here.beat(owner.account, 7)
    expect(await count()).toBe(2)
  })

  test('but not if its time is in the future, from a clock that was set back', async () => {
    const { here, age, isListening } = await open()
    await here.beat(owner.account, 7)
    await age(-3_600_000)
    expect(await isListening()).toBe(false)
    await here.beat(owner.account, 7)
    expect(await isListening()).toBe(true)
  })
})
