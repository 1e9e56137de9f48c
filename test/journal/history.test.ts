// Who revealed the codes of an order.
import { expect, test } from 'vitest'
import {
  listOrderReveals,
  listReveals,
  type Reveal,
  recordReveals,
} from '../../src/journal/orders/seen-cards.ts'
import { journalKinds } from './journals.ts'
import { openFor } from './open.ts'
import { owner } from './order-desk.ts'

const reveal = (fields: Partial<Reveal> = {}): Reveal => ({
  ...{ profile: 'shop', origin: owner.origin, orderId: 'o1', skus: ['A'], at: 1, who: 'ana', how: 'reveal' },
  ...fields,
})

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
