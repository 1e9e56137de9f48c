// Adds to the orders that were found who placed them and who revealed their codes, and records who found them.
import type { Context } from '../../context.ts'
import { createActorQueries } from '../../journal/actors/actor-queries.ts'
import type { Actor } from '../../journal/actors/actors.ts'
import { createOrderRevealQueries, type OrderReveal } from '../../journal/history/order-reveals.ts'
import type { Journal } from '../../journal/journal.ts'
import type { FoundOrder } from '../../operations/find/search-orders.ts'
import { readInParallel } from '../shared/journal/read-in-parallel.ts'
import type { Session } from '../shared/session.ts'

export type DescribedOrder = FoundOrder & {
  /** Who placed the order. */
  readonly by: Actor | undefined
  /** Of the products that match. */
  readonly reveals: readonly OrderReveal[]
}

const skusOf = ({ matches }: FoundOrder): string[] => [...new Set(matches.map(({ sku }) => sku))]

export const describeOrders = async (
  { owner }: Session,
  journal: Journal | undefined,
  found: readonly FoundOrder[],
): Promise<DescribedOrder[]> => {
  if (journal === undefined || found.length === 0) return []
  const { listOrderReveals } = journal.openTables(createOrderRevealQueries)
  const { findActors } = journal.openTables(createActorQueries)
  const actors = await findActors(found.map(({ entry }) => entry))
  return readInParallel(found, async (order) => {
    const skus = skusOf(order)
    const all = await listOrderReveals(owner.account, order.entry.orderId)
    const reveals = all.filter((reveal) => skus.some((sku) => reveal.skus.includes(sku)))
    return { ...order, reveals, by: actors.get(order.entry.actor ?? 0) }
  })
}

/** Whoever finds an order has its code, so this is recorded like a reveal. */
export const recordSearch = async (
  { user }: Context,
  { journals, owner, clock }: Session,
  found: readonly FoundOrder[],
): Promise<void> => {
  if (found.length === 0) return
  const { profile, origin } = owner
  const common = { profile, origin, at: clock.now(), who: user(), how: 'find' } as const
  await journals.attempt('the search was not recorded', (journal) =>
    journal.recordReveals(
      found.map((order) => ({ ...common, orderId: order.entry.orderId, skus: skusOf(order) })),
    ),
  )
}
