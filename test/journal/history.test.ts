// Which orders may have cards, and who revealed the codes of an order.
import { expect, test } from 'vitest'
import type { Statements } from '../../src/journal/database/database.ts'
import { listDelivered } from '../../src/journal/orders/list-orders.ts'
import {
  insertReveal,
  listOrderReveals,
  listReveals,
  type Reveal,
  recordReveals,
} from '../../src/journal/orders/seen-cards.ts'
import { journalKinds } from './journals.ts'
import { openFor } from './open.ts'
import { accountAt, owner } from './order-desk.ts'
import { createOrderVerbs, testScripts } from './script.ts'

const reveal = (fields: Partial<Reveal> = {}): Reveal => ({
  ...{ profile: 'shop', origin: owner.origin, orderId: 'o1', skus: ['A'], at: 1, who: 'ana', how: 'reveal' },
  ...fields,
})

testScripts(
  journalKinds,
  `
  == lists orders of the account that may have cards, the newest first
  place old old at=1000; confirm old; end done; place one one at=2000; confirm one; end done; get one partial
  place two two at=3000; confirm two; end done; get two successful
  place failed failed at=4000; confirm failed; end done; get failed failed; place unconfirmed unconfirmed at=5000
  place unknown unknown at=6000; confirm unknown; end unknown
  place elsewhere elsewhere at=9000 origin=https://other.example
  delivered → unknown unknown, two successful, one partial; delivered origin=https://other.example
  `,
  (shared) => ({
    ...createOrderVerbs(shared),
    delivered: async ({ fields: { origin } }) => {
      const { account } = accountAt(origin ?? owner.origin)
      const listed = await listDelivered(shared.journal.read, account, 2_000)
      return listed.map(({ orderId, state }) => `${orderId} ${state}`).join(', ')
    },
  }),
)

test.each(journalKinds)(
  'on $name, lists the reveals of an order at its service, the oldest first, without searches',
  async (kind) => {
    const { journal } = await openFor(kind)
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
    const found = [await list({}), await list({ since: 6 }), await list({ profile: 'other' })]
    expect(found).toEqual([[6, 5], [6], []])
  },
)

test('in SQLite, neither the reveals of an order nor a replayed reveal reads the reveals of other orders', async () => {
  const { journal } = await openFor()
  const plans: string[] = []
  const all: Statements['all'] = async (sql, values) => {
    const plan = await journal.read.all(`EXPLAIN QUERY PLAN ${sql}`, values)
    plans.push(plan.map(({ detail }) => detail).join(', '))
    return []
  }
  const run: Statements['run'] = async (sql, values) => (await all(sql, values)).length
  const explained = { ...journal.read, all, run }
  await listOrderReveals(explained, owner.account, 'o1')
  await insertReveal(explained, reveal(), undefined, { unlessKnown: true })
  expect(plans).toHaveLength(2)
  for (const plan of plans) {
    expect(plan).toContain('SEARCH reveals USING INDEX reveals_by_order (order_id=?)')
    expect(plan).not.toContain('SCAN reveals')
  }
})
