// The calls of orders that spend, as the journal records them: each has an intent and an outcome.
import type { Journal } from '../../../src/journal/journal.ts'

/** `index` tells the orders apart. */
export type Call = (index: number) => Promise<void>

export const callsOf = (journal: Journal): { readonly create: Call; readonly confirm: Call } => {
  const owner = {
    profile: 'shop',
    origin: 'https://orders.example.com',
    account: { address: 'orders.example.com' },
  }
  const request = JSON.stringify({
    productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }],
    wallet: 'USD',
  })
  const now = Date.now()
  const intentOf = (index: number) => ({
    ...owner,
    reference: `po-${index}`,
    request,
    wallet: 'USD',
    at: now + index,
    allowDuplicate: false,
    until: now + index + 45_000,
  })
  return {
    create: async (index) => {
      const begun = await journal.beginCreate(intentOf(index))
      if (begun.kind !== 'started') throw new Error(`the create was not started: ${begun.kind}`)
      const facts = { orderId: `ord_${String(index).padStart(24, '0')}`, total: '50' }
      const times = { createdAt: now + index, expiresAt: now + index + 600_000 }
      await journal.endCreate(begun, { outcome: 'done', ...facts, ...times }, now + index)
    },
    confirm: async (index) => {
      const begun = await journal.beginConfirm({
        ...intentOf(index),
        orderId: `ord_${String(index).padStart(24, '0')}`,
        total: '50',
        isWithinCap: () => true,
        isWithinBudget: () => true,
      })
      if (begun.kind !== 'started') throw new Error(`the confirm was not started: ${begun.kind}`)
      await journal.endConfirm(begun, { outcome: 'done' }, now + index)
    },
  }
}
