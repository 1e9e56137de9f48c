// Before failed cards are bought again: the service may have delivered them after their order failed.
import { isFinal } from '../../contract/states.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import type { Spending } from '../deps.ts'
import { readPurchase } from './collect-cards.ts'
import { recordDelivery } from './delivery.ts'
import { workInParallel } from './parallel.ts'
import { findPurchases } from './purchases.ts'

const concurrency = 4

/** Records the cards that were delivered late. Throws if an order cannot be read. Returns the number of cards. */
export const collectLateCards = async (deps: Spending, batches: Batches, batch: Batch): Promise<number> => {
  const cards = await batches.listCards(batch.number)
  const failed = cards.filter(({ state }) => state === 'failed' || state === 'duplicate')
  const slots = new Set(failed.map(({ slot }) => slot))
  const { confirmed } = await findPurchases(deps.journal, batch, failed)
  const purchases = confirmed.filter(({ slot }) => slots.has(slot))
  let late = 0
  const limits = { limit: concurrency, signal: deps.interrupted }
  await workInParallel(purchases, limits, async (purchase, interrupted) => {
    const order = await readPurchase({ ...deps, interrupted }, purchase)
    if (!isFinal(order.state)) return
    const { changes } = await recordDelivery({ ...deps, batches, batch }, purchase.slot, order)
    late += changes.filter(({ state }) => state === 'delivered').length
  })
  return late
}
