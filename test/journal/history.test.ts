// Which orders may have cards, and who revealed the codes of an order.
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Statements } from '../../src/journal/database/database.ts'
import { listDelivered } from '../../src/journal/orders/list-orders.ts'
import {
  insertReveal,
  listOrderReveals,
  listReveals,
  type Reveal,
  recordReveals,
} from '../../src/journal/orders/reveals.ts'
import { journalKinds } from './journals.ts'
import { accountAt, createOrderDesk, owner } from './order-desk.ts'

describe.each(journalKinds)('on $name', ({ open }) => {
  const openDesk = async () => {
    const { journal, close } = await open()
    onTestFinished(close)
    return { journal, desk: createOrderDesk(journal) }
  }

  test('lists orders of the account that may have cards, the newest first', async () => {
    const { journal, desk } = await openDesk()
    const place = (id: string, at: number, more = {}) => desk.placed(id, { reference: id, at, ...more })
    for (const [index, id] of ['old', 'one', 'two', 'failed', 'unconfirmed', 'unknown'].entries())
      await place(id, 1_000 * (index + 1))
    const elsewhere = accountAt('https://other.example')
    await place('elsewhere', 9_000, elsewhere)
    for (const reference of ['old', 'one', 'two', 'failed']) {
      const begun = await desk.toConfirm(reference, { reference })
      await journal.calls.endConfirm(begun, { outcome: 'done' }, 2_100)
    }
    const begun = await desk.toConfirm('unknown', { reference: 'unknown' })
    await journal.calls.endConfirm(begun, { outcome: 'unknown' }, 2_100)
    await desk.note('one', 'partial', 3_000)
    await desk.note('two', 'successful', 3_000)
    await desk.note('failed', 'failed', 3_000)
    const listed = await listDelivered(journal.read, owner.account, 2_000)
    expect(listed.map(({ orderId }) => orderId)).toEqual(['unknown', 'two', 'one'])
    expect(listed[2]).toMatchObject({ reference: 'one', state: 'partial', placedAt: 2_000, profile: 'shop' })
    const others = await listDelivered(journal.read, elsewhere.account, 0)
    expect(others).toEqual([])
  })

  test('lists the reveals of an order at its service, the oldest first, without searches', async () => {
    const { journal } = await openDesk()
    const reveal = (fields: Partial<Reveal>): Reveal => ({
      ...{
        profile: 'shop',
        origin: owner.origin,
        orderId: 'o1',
        skus: ['A'],
        at: 1,
        who: 'ana',
        how: 'reveal',
      },
      ...fields,
    })
    await recordReveals(journal, [
      reveal({ at: 1 }),
      reveal({ at: 2, how: 'copy', who: 'ben', origin: `${owner.origin}:443/` }),
      reveal({ at: 3, how: 'find' }),
      reveal({ at: 4, orderId: 'o2' }),
      reveal({ at: 5, origin: 'https://other.example' }),
      reveal({ at: 6, origin: 'sandbox:' }),
    ])
    const listed = await listOrderReveals(journal.read, owner.account, 'o1')
    expect(listed.map(({ at, who, how }) => [at, who, how])).toEqual([
      [1, 'ana', 'reveal'],
      [2, 'ben', 'copy'],
    ])
    expect(listed[0]).toMatchObject({ skus: ['A'], by: { user: 'tester', host: 'desk' } })
    const list = async (filter: { profile?: string; since?: number }) =>
      (await listReveals(journal.read, { limit: 2, ...filter })).map(({ at }) => at)
    expect([await list({}), await list({ since: 6 }), await list({ profile: 'other' })]).toEqual([
      [6, 5],
      [6],
      [],
    ])
  })
})

test('in SQLite, neither the reveals of an order nor a replayed reveal reads the reveals of other orders', async () => {
  const [sqlite] = journalKinds
  if (sqlite === undefined) throw new Error('no SQLite')
  const { journal, close } = await sqlite.open()
  onTestFinished(close)
  const plans: string[] = []
  const reveal: Reveal = {
    ...{ profile: 'shop', origin: owner.origin, orderId: 'o1', skus: ['A'] },
    ...{ at: 1, who: 'ana', how: 'reveal' },
  }
  const all: Statements['all'] = async (sql, values) => {
    const plan = await journal.read.all(`EXPLAIN QUERY PLAN ${sql}`, values)
    plans.push(plan.map(({ detail }) => detail).join(', '))
    return []
  }
  const run: Statements['run'] = async (sql, values) => (await all(sql, values)).length
  const explained = { ...journal.read, all, run }
  await listOrderReveals(explained, owner.account, 'o1')
  await insertReveal(explained, reveal, undefined, { unlessKnown: true })
  expect(plans).toHaveLength(2)
  for (const plan of plans) {
    expect(plan).toContain('SEARCH reveals USING INDEX reveals_by_order (order_id=?)')
    expect(plan).not.toContain('SCAN reveals')
  }
})
