// When the journal was last updated about the orders that a process waits for.
import { describe, expect, onTestFinished, test } from 'vitest'
import { listChangedOrders } from '../../src/journal/orders/list-orders.ts'
import { bindTo, journalKinds } from './journals.ts'
import { accountAt, createOrderDesk, owner } from './order-desk.ts'

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const shared = await kind.openShared()
    onTestFinished(shared.close)
    const desk = createOrderDesk(shared.journal)
    const { listChangedOrders: list } = bindTo(shared.journal, { listChangedOrders })
    return { ...desk, list }
  }

  test('several orders, without those that it does not have', async () => {
    const { placed, confirmed, note, list } = await open()
    await placed('o1', { reference: 'one' })
    await placed('o2')
    await confirmed('o2', { outcome: 'done' })
    await note('o2', 'processing', 3_000)
    await note('o2', 'processing', 4_000)
    const changed = await list(owner.account, ['o1', 'o2', 'o3'])
    expect(changed.toSorted((a, b) => a.orderId.localeCompare(b.orderId))).toEqual([
      { orderId: 'o1', changedAt: 1_100 },
      { orderId: 'o2', changedAt: 3_000 },
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
    const { placed, note, list } = await open()
    await placed('o1', { ...accountAt('https://elsewhere.example'), reference: 'elsewhere' })
    expect(await list(owner.account, ['o1'])).toEqual([])
    await placed('o1', { reference: 'old' })
    await note('o1', 'processing', 3_000)
    await placed('o1', { reference: 'new' })
    expect(await list(owner.account, ['o1'])).toEqual([{ orderId: 'o1', changedAt: 1_100 }])
  })
})
