// A small journal of three months, two currencies and two people, with every outcome.
import path from 'node:path'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { createOrderDesk, owner } from '../../journal/order-desk.ts'

type Charged = {
  readonly on: string
  readonly who?: string
  readonly wallet?: string
  readonly total: string
  readonly sku?: string
  readonly cards?: number
  readonly state?: string
  readonly profile?: string
  readonly reference?: string
  readonly id?: string
}

const months: readonly Charged[] = [
  { on: '2026-01-05', total: '50', cards: 2 },
  { on: '2026-01-31', total: '1234.5', cards: 5, who: 'ben', sku: 'FOOD', reference: 'team-a/0007' },
  { on: '2026-02-01', total: '25', who: 'ben', state: 'failed' },
  { on: '2026-02-14', total: '75.25', cards: 3, state: 'partial', reference: '2026-02' },
  { on: '2026-03-01', total: '10', state: 'processing', who: 'ben' },
  { on: '2026-03-02', total: '99.99', state: 'unknown' },
  { on: '2026-03-02', total: '3000', wallet: 'JPY', sku: 'GAME-JP', profile: 'tokyo' },
  { on: '2026-03-31', total: '500', wallet: 'JPY', sku: 'GAME-JP', profile: 'tokyo', state: 'failed' },
]

/** In the state folder of `home`. Each order is confirmed at noon. */
export const fillJournal = async (home: string, orders: readonly Charged[] = months): Promise<void> => {
  const file = path.join(home, 'state', 'journal.db')
  for (const [index, order] of orders.entries()) {
    const { on, total, who = 'ana', wallet = 'USD', sku = 'GAME-US', cards = 1 } = order
    const {
      state = 'successful',
      profile = 'shop',
      reference = `gifts-${index}`,
      id = `ord_${index}`,
    } = order
    const at = Date.parse(`${on}T12:00Z`)
    const journal = await openJournal(file, {
      now: () => at,
      identify: () => ({ osUser: who, host: 'desk' }),
    })
    const { begin, endCreate, toConfirm, endConfirm, recordOrder } = createOrderDesk(journal)
    const line = { sku, productType: 'fixed', quote: 25, quantity: cards }
    const request = JSON.stringify({ productList: [line] })
    const begun = await begin({ ...{ ...owner, profile, request, reference, wallet, at }, until: at + 1_000 })
    const facts = { orderId: id, total, createdAt: at, expiresAt: at + 600_000 }
    await endCreate(begun, { outcome: 'done', ...facts }, at)
    const confirming = await toConfirm(id, { reference, profile, wallet, total, at, until: at + 1_000 })
    if (state === 'unknown') await endConfirm(confirming, { outcome: 'unknown' }, at)
    else {
      await endConfirm(confirming, { outcome: 'done' }, at)
      const delivered =
        state === 'successful' ? cards : state === 'partial' ? 1 : state === 'failed' ? 0 : null
      const products = JSON.stringify([[sku, 'fixed', '25', cards, delivered, null]])
      await recordOrder(begun.order, { state, isPaid: true, total, products, at })
    }
    await journal.close()
  }
}
